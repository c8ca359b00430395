internal import HTTPTypes
internal import Hummingbird

/// What a browser shows of an address that names a host to which the hub does not answer: what to set, and where.
enum ForeignHostPage {
  /// Nil for requests of programs, which get a problem document.
  static func response(to request: Request, host: String) -> Response? {
    let isOfPerson = request.method == .get || request.method == .head
    guard isOfPerson, request.headers[.accept]?.contains("text/html") == true else { return nil }
    var response = Response.text(text(host), type: "text/html; charset=utf-8", status: .forbidden)
    response.headers[.cacheControl] = "no-store"
    return response
  }

  private static func text(_ host: String) -> String {
    let name = isPlain(host) ? host : "the name in this page's address"
    let setting = isPlain(host) ? host : "hub.example.org"
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>LiveSessions: unknown host name</title>
      <h1>This hub does not answer to that host name</h1>
      <p>The address in your browser names <strong>\(name)</strong>. Open the page under the address that you were given.</p>
      <p>If you operate the hub: add the name to the others in <code>/etc/livesessions/hub.toml</code>, then run
      <code>systemctl restart livesessions-hub</code>.</p>
      <pre>allowed_hosts = ["\(setting)"]</pre>
      </html>

      """
  }

  /// It comes from outside, and is shown.
  private static func isPlain(_ host: String) -> Bool {
    let characters = "abcdefghijklmnopqrstuvwxyz0123456789.-:[]"
    return !host.isEmpty && host.utf8.count <= 255 && host.allSatisfy(characters.contains)
  }
}
