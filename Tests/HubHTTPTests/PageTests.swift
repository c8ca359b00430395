import Foundation
import HubHTTP
import NIOCore
import NIOHTTP1
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PageTests {
  /// Serves a folder with a page, a script, and things that must stay unseen.
  private func withPage(_ body: @Sendable (HubFixture) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-page-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/web/icons", withIntermediateDirectories: true)
    for (file, text) in [
      ("web/index.html", "<p>page</p>"), ("web/app.js", "go()"), ("web/icons/a.svg", "<svg/>"), ("web/.secret.js", "s"),
      ("outside.js", "s"), ("web/data.bin", "s"),
    ] { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(file)")) }
    var configuration = HubConfiguration()
    configuration.webRoot = folder + "/web"
    try await HubFixture.run(configuration, body)
  }

  @Test func servesThePageWithItsTypes() async throws {
    try await withPage { hub in
      for (path, type, text) in [
        ("/", "text/html; charset=utf-8", "<p>page</p>"), ("/app.js", "text/javascript; charset=utf-8", "go()"),
        ("/icons/a.svg", "image/svg+xml", "<svg/>"),
      ] {
        let reply = try await hub.send(.GET, path)
        #expect(reply.status == 200 && reply.text == text)
        #expect(reply.headers.first(name: "Content-Type") == type)
        #expect(reply.headers.first(name: "Cache-Control") == "no-cache")
        let head = try await hub.send(.HEAD, path)
        #expect(head.status == 200 && head.headers.first(name: "Content-Length") == "\(text.utf8.count)")
        #expect(head.body.readableBytes == 0)
        let tag = try #require(reply.headers.first(name: "ETag"))
        let again = try await hub.send(.GET, path, headers: [("If-None-Match", tag)])
        #expect(again.status == 304 && again.body.readableBytes == 0)
      }
    }
  }

  @Test(arguments: [
    "/../outside.js", "/..%2foutside.js", "/%2e%2e/outside.js", "/.secret.js", "/icons", "/data.bin", "/none.js",
    "/icons/../../outside.js", "//etc/passwd", "/app.js/",
  ])
  func nothingElseIsServed(path: String) async throws {
    try await withPage { hub in
      let reply = try await hub.send(.GET, path)
      #expect(reply.status == 404 || reply.text == "go()", "\(path): \(reply.status)")
    }
  }

  @Test func everyResponseCarriesTheSecurityHeaders() async throws {
    try await withPage { hub in
      for path in ["/", "/none", "/v1/users", "/healthz"] {
        let headers = try await hub.send(.GET, path).headers
        let policy = try #require(headers.first(name: "Content-Security-Policy"))
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"))
        #expect(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"))
        #expect(headers.first(name: "X-Content-Type-Options") == "nosniff")
        #expect(headers.first(name: "Referrer-Policy") == "no-referrer")
        #expect(headers.first(name: "Access-Control-Allow-Origin") == nil)
      }
    }
  }
}
