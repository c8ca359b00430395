internal import HTTPTypes
internal import HubCore
internal import Hummingbird

/// `POST /v1/users/{id}/archives/{archiveID}/view`: lets a `<video>` element of the page, which cannot send a bearer token,
/// read an archive's files and clips by ranges.
///
/// The answer sets a cookie that scripts cannot read, that other sites' requests do not carry, and that browsers send for this
/// archive alone. It is good for reading, for some minutes, and ends with the login.
enum ArchiveView {
  /// Seconds; the page asks again before they are over.
  static let lifetime: Int64 = 900
  private static let name = "livesessions-view"
  /// How much of an open range is sent at once: a player that pauses would keep a transfer otherwise.
  private static let piece: Int64 = 2 << 20

  /// The token that a cookie brings for reading; nil for other methods.
  static func token(of request: Request) -> String? {
    guard request.method == .get || request.method == .head else { return nil }
    for field in request.headers[values: .cookie] {
      for pair in field.split(separator: ";") {
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        if parts.count == 2, parts[0] == name { return String(parts[1]) }
      }
    }
    return nil
  }

  /// Without a `Path` a cookie is good for the folder of the request that set it (RFC 6265, section 5.1.4): the archive's, also
  /// where a proxy has the hub below a path.
  static func cookie(_ token: String, isSecure: Bool) -> String {
    "\(name)=\(token); Max-Age=\(lifetime); HttpOnly; SameSite=Strict" + (isSecure ? "; Secure" : "")
  }

  /// A player's range without an end, shortened: it asks for the rest when it wants it (RFC 9110, section 14.4).
  static func shortened(_ range: String) -> String {
    guard range.lowercased().hasPrefix("bytes="), range.hasSuffix("-"),
      let start = Int64(range.dropFirst("bytes=".count).dropLast()), start >= 0, start < .max - piece
    else { return range }
    return "bytes=\(start)-\(start + piece - 1)"
  }
}

extension ArchiveRoutes {
  func addViewing(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/users/:userID/archives/:archiveID/view") { request, context in
      _ = try ArchivePath(archiveID: context.parameters.get("archiveID"))
      let viewer = try context.principal
      guard viewer.role == .operator || viewer.userID == context.parameters.get("userID") else {
        throw DeviceContent.Kind.archive.refusal
      }
      let path = String(request.uri.path.dropLast("/view".count))
      let token = try tokens.viewToken(try context.claims, path: path)
      let isSecure = request.headers[.origin]?.lowercased().hasPrefix("https://") ?? false
      return Response(
        status: .noContent,
        headers: [
          .cacheControl: "no-store", .setCookie: ArchiveView.cookie(token, isSecure: isSecure),
        ])
    }
  }
}
