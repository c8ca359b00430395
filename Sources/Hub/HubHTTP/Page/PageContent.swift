internal import NIOCore
internal import OpenSSLCrypto
internal import SessionToken

/// A file of the page as it is sent.
struct PageFile: Sendable {
  let body: ByteBuffer
  /// Nil where that would not be smaller.
  let gzip: ByteBuffer?
  let type: String
  let tag: String

  init(_ octets: [UInt8], type: String) {
    body = ByteBuffer(bytes: octets)
    // Images and fonts are compressed.
    let isText = type.hasPrefix("text/") || type.hasPrefix("application/") || type == "image/svg+xml"
    gzip = isText ? Gzip.compress(octets).map { ByteBuffer(bytes: $0) } : nil
    self.type = type
    tag = Self.hash(octets)
  }

  static func hash(_ octets: [UInt8]) -> String {
    String(Base64URL.encode(OpenSSLCrypto().sha256(octets)).prefix(16))
  }
}

/// All files of the page at one time, in memory.
///
/// Each is there under its own path. What `index.html` refers to has another address, below a folder whose name changes with any
/// file of the page: browsers keep that for good. There the modules that the page starts with are one, and so are its style
/// sheets.
struct PageContent: Sendable {
  /// What of the folder this was made from.
  let entries: [PageFolder.Entry]
  /// The name of the folder with what may be kept for good.
  let version: String
  /// Why its modules are sent one by one; nil where they are not.
  let obstacle: PageModule.Refusal?
  private let files: [String: PageFile]
  private let assets: [String: PageFile]

  private static let versionPrefix = "page-"
  /// Larger files are served from the disk, and all that come after so much in all; in octets.
  private static let maximumFile = 512 * 1024
  private static let maximumTotal = 8 * 1024 * 1024

  init(of folder: PageFolder, entries: [PageFolder.Entry]) {
    self.entries = entries
    let contents = Self.read(entries, in: folder)
    let parts = contents.sorted { $0.key < $1.key }.map { "\($0.key) \(PageFile.hash($0.value))" }
    version = Self.versionPrefix + PageFile.hash(Array(parts.joined(separator: "\n").utf8))
    let index = contents["index.html"].map { PageIndex(String(decoding: $0, as: UTF8.self)) }
    var texts = PageTexts(contents)
    obstacle = index.flatMap { texts.join(its: $0) }
    var files: [String: PageFile] = contents.reduce(into: [:]) { files, file in
      if let type = PageFolder.type(of: file.key) { files[file.key] = PageFile(file.value, type: type) }
    }
    if let index {
      let text = index.text(below: version, files: Set(contents.keys), styles: texts.styles)
      files["index.html"] = PageFile(Array(text.utf8), type: files["index.html"]?.type ?? "text/html")
    }
    self.files = files
    assets = texts.changed.reduce(into: [:]) { assets, file in
      if let type = PageFolder.type(of: file.key) { assets[file.key] = PageFile(Array(file.value.utf8), type: type) }
    }
  }

  private static func read(_ entries: [PageFolder.Entry], in folder: PageFolder) -> [String: [UInt8]] {
    var (contents, total): ([String: [UInt8]], Int) = ([:], 0)
    for entry in entries where entry.octets <= maximumFile && total + entry.octets <= maximumTotal {
      guard let content = folder.read(entry.path), content.count <= maximumFile else { continue }
      contents[entry.path] = content
      total += content.count
    }
    return contents
  }

  /// A file under its own path.
  func file(_ path: String) -> PageFile? { files[path] }

  /// A file below ``version``.
  func asset(_ path: String) -> PageFile? { assets[path] ?? files[path] }

  /// Whether a path's first part is a version of the page, this one or another.
  static func isVersion(_ name: some StringProtocol) -> Bool { name.hasPrefix(versionPrefix) }
}

/// What of the page is sent in another form than it has on the disk.
private struct PageTexts {
  /// By path.
  private(set) var changed: [String: String] = [:]
  /// The path of the style sheet that stands for those of the index; nil where they stay.
  private(set) var styles: String?
  private let contents: [String: [UInt8]]

  init(_ contents: [String: [UInt8]]) { self.contents = contents }

  /// Makes one module and one style sheet of those that the index refers to; returns what keeps the modules apart.
  mutating func join(its index: PageIndex) -> PageModule.Refusal? {
    joinStyles(index.styleSheets)
    do {
      for main in index.modules where contents[main] != nil { try joinModules(of: main) }
      return nil
    } catch {
      return error
    }
  }

  private mutating func joinModules(of main: String) throws(PageModule.Refusal) {
    let bundles = try ModuleBundles(of: main) { text(of: $0) }
    changed.merge(bundles.texts) { _, new in new }
  }

  private mutating func joinStyles(_ paths: [String]) {
    let sheets = paths.compactMap { text(of: $0) }
    // These hold for the file in which they stand, at its beginning.
    let isSeparate = sheets.contains { $0.contains("@import") || $0.contains("@charset") }
    guard paths.count > 1, sheets.count == paths.count, !isSeparate else { return }
    let path = "styles.css"
    styles = path
    changed[path] = sheets.map(Self.plain).joined(separator: "\n")
  }

  /// A style sheet without indentation, and without comments that begin a line.
  private static func plain(_ sheet: String) -> String {
    var (lines, isComment): ([Substring], Bool) = ([], false)
    for line in sheet.split(separator: "\n") {
      var code = line.drop { $0 == " " }
      if isComment || code.hasPrefix("/*") {
        let end = code.dropFirst(isComment ? 0 : 2).firstRange(of: "*/")
        isComment = end == nil
        code = code[(end?.upperBound ?? code.endIndex)...].drop { $0 == " " }
      }
      if !code.isEmpty { lines.append(code) }
    }
    return lines.joined(separator: "\n")
  }

  private func text(of path: String) -> String? {
    contents[path].map { String(decoding: $0, as: UTF8.self) }
  }
}
