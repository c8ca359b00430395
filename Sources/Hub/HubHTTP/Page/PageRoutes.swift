internal import HTTPTypes
internal import HubCore
internal import Hummingbird
internal import NIOCore

/// The web page: the files of one folder. `index.html` is revalidated on every use, and what it refers to is kept for good, at
/// addresses that change with the page.
struct PageRoutes {
  private let store: PageStore
  private let files = FileIO()

  init(store: PageStore) {
    self.store = store
  }

  func add(to router: some RouterMethods<HubRequestContext>) {
    router.get("/") { request, context in try await serve(["index.html"], request, context) }
    router.get("/**") { request, context in
      try await serve(context.parameters.getCatchAll(), request, context)
    }
  }

  private func serve(_ path: [Substring], _ request: Request, _ context: HubRequestContext) async throws -> Response {
    guard path.first != "v1", PageFolder.isSafe(path) else { throw HTTPError(.notFound) }
    if let version = path.first, PageContent.isVersion(version) {
      return try await asset(path.dropFirst().joined(separator: "/"), of: version, request)
    }
    let name = path.joined(separator: "/")
    if let file = await store.current().file(name) { return response(file, request, cacheControl: "no-cache") }
    return try await responseFromDisk(name, request, context)
  }

  /// Another node, or the page of before a change, may have given an address that is not this page's: it leads to the file as it
  /// is now, which no one keeps.
  private func asset(_ path: String, of version: Substring, _ request: Request) async throws -> Response {
    var content = store.known
    if content.version != version { content = await store.current() }
    guard let file = content.asset(path) else { throw HTTPError(.notFound) }
    let isKept = content.version == version
    return response(file, request, cacheControl: isKept ? "public, max-age=31536000, immutable" : "no-store")
  }

  private func response(_ file: PageFile, _ request: Request, cacheControl: String) -> Response {
    let gzip = Gzip.isAccepted(by: request.headers[.acceptEncoding]) ? file.gzip : nil
    let tag = gzip == nil ? "\"\(file.tag)\"" : "\"\(file.tag)-gzip\""
    var headers: HTTPFields = [.contentType: file.type, .cacheControl: cacheControl, .eTag: tag]
    if file.gzip != nil { headers[.vary] = "Accept-Encoding" }
    guard request.headers[.ifNoneMatch] != tag else { return Response(status: .notModified, headers: headers) }
    if gzip != nil { headers[.contentEncoding] = "gzip" }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: gzip ?? file.body))
  }

  /// Files that are too large for the memory.
  private func responseFromDisk(
    _ path: String, _ request: Request, _ context: HubRequestContext
  ) async throws -> Response {
    guard let type = PageFolder.type(of: path), let entry = store.folder.entry(path) else { throw HTTPError(.notFound) }
    let headers: HTTPFields = [.contentType: type, .cacheControl: "no-cache", .eTag: entry.tag]
    guard request.headers[.ifNoneMatch] != entry.tag else { return Response(status: .notModified, headers: headers) }
    let body = try await files.loadFile(path: store.folder.fullPath(path), context: context)
    return Response(status: .ok, headers: headers, body: body)
  }
}
