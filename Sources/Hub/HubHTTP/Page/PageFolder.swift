internal import Foundation

/// The folder of a web page: which files in it belong to the page, and whether one has changed.
struct PageFolder: Sendable {
  /// A file as the file system shows it.
  struct Entry: Equatable, Sendable {
    /// Below the folder, with slashes.
    var path: String
    var octets: Int
    /// Seconds since 1970.
    var modified: Double

    /// For what is sent from the disk; files in memory have one of their content.
    var tag: String { "\"\(Int64(exactly: (modified * 1_000_000).rounded()) ?? 0)-\(octets)\"" }
  }

  let path: String

  /// By a name's ending, what a file is; others are no part of a page.
  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "json": "application/json", "webmanifest": "application/manifest+json",
    "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8", "wav": "audio/wav", "webm": "video/webm", "ogg": "audio/ogg",
  ]

  private static let maximumDepth = 8
  /// What is found after so many is served from the disk.
  private static let maximumEntries = 1_000

  static func type(of path: String) -> String? {
    path.split(separator: "/").last?.split(separator: ".").last.flatMap { types[String($0)] }
  }

  /// Whether a path can name a file of a page at all.
  static func isSafe(_ path: [Substring]) -> Bool {
    !path.isEmpty && path.count <= maximumDepth && path.allSatisfy(PagePath.isSafe)
  }

  /// One file; nil where there is no regular one.
  func entry(_ path: String) -> Entry? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: fullPath(path)),
      attributes[.type] as? FileAttributeType == .typeRegular, let modified = attributes[.modificationDate] as? Date,
      let octets = attributes[.size] as? Int
    else { return nil }
    return Entry(path: path, octets: octets, modified: modified.timeIntervalSince1970)
  }

  /// The page's files, by their paths in order.
  func entries() -> [Entry] {
    var found: [Entry] = []
    var folders = [""]
    while let folder = folders.popLast() {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: fullPath(folder))) ?? []
      for name in names where PagePath.isSafe(name) && found.count < Self.maximumEntries {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        if Self.type(of: path) != nil, let entry = entry(path) {
          found.append(entry)
        } else if path.count(where: { $0 == "/" }) + 1 < Self.maximumDepth, isFolder(path) {
          folders.append(path)
        }
      }
    }
    return found.sorted { $0.path < $1.path }
  }

  /// What is in a file; nil when it cannot be read.
  func read(_ path: String) -> [UInt8]? {
    (try? Data(contentsOf: URL(fileURLWithPath: fullPath(path)))).map { Array($0) }
  }

  func fullPath(_ path: String) -> String { path.isEmpty ? self.path : "\(self.path)/\(path)" }

  private func isFolder(_ path: String) -> Bool {
    // A link may lead to a folder that is above.
    let attributes = try? FileManager.default.attributesOfItem(atPath: fullPath(path))
    return attributes?[.type] as? FileAttributeType == .typeDirectory
  }
}
