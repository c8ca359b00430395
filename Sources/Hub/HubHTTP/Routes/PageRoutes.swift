internal import Foundation
internal import HTTPTypes
internal import HubCore
internal import Hummingbird

/// The web page: the files of one folder, revalidated on every use.
struct PageRoutes {
  private let folder: String
  private let files = FileIO()
  private static let types = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "json": "application/json", "webmanifest": "application/manifest+json",
    "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon", "woff2": "font/woff2",
    "txt": "text/plain; charset=utf-8", "wav": "audio/wav", "webm": "video/webm", "ogg": "audio/ogg",
  ]

  init(folder: String) {
    self.folder = folder
  }

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/") { request, context in try await serve(["index.html"], request, context) }
    router.get("/**") { request, context in
      try await serve(context.parameters.getCatchAll().map(String.init), request, context)
    }
  }

  private func serve(_ path: [String], _ request: Request, _ context: HubRequestContext) async throws -> Response {
    guard path.first != "v1", !path.isEmpty, path.count <= 8, path.allSatisfy(isSafe),
      let type = path.last?.split(separator: ".").last.flatMap({ Self.types[String($0)] })
    else { throw HTTPError(.notFound) }
    let file = ([folder] + path).joined(separator: "/")
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
      attributes[.type] as? FileAttributeType == .typeRegular, let modified = attributes[.modificationDate] as? Date,
      let size = attributes[.size] as? Int
    else { throw HTTPError(.notFound) }
    let tag = "\"\(Int64(exactly: (modified.timeIntervalSince1970 * 1_000_000).rounded()) ?? 0)-\(size)\""
    let headers: HTTPFields = [.contentType: type, .cacheControl: "no-cache", .eTag: tag]
    guard request.headers[.ifNoneMatch] != tag else { return Response(status: .notModified, headers: headers) }
    return Response(status: .ok, headers: headers, body: try await files.loadFile(path: file, context: context))
  }

  /// Plain names alone: no dot files, no way up, no escapes.
  private func isSafe(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.isEmpty
      && name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_.".unicodeScalars.contains($0))
      }
  }
}
