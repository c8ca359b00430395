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

/// What `index.html` refers to: one module and one style sheet, compressed, and kept by browsers for good.
@Suite(.timeLimit(.minutes(1)))
struct PageVersionTests {
  private static let index = """
    <link rel="icon" href="icon.svg">
    <link rel="manifest" href="app.webmanifest">
    <link rel="stylesheet" href="a.css">
    <link rel="stylesheet" href="b.css">
    <script type="module" src="main.js"></script>
    <a href="https://example.org/main.js">x</a>
    """

  private static let files = [
    "index.html": index, "icon.svg": "<svg/>", "app.webmanifest": "{}", "a.css": "a { color: red; }", "b.css": "b { }",
    "main.js": """
    // What starts.
    import { greet } from "./parts/greet.js";
    import * as all from "./parts/greet.js";
    console.log(greet, all);
    const [one, other] = [import("./later.js"), import("./other.js")];

    """,
    "parts/greet.js": """
    /**
     * Says `hello`.
     */
    export function greet(who) {
      return `hello ${who}`;
    }

    """,
  ]

  /// What is imported on demand, and what two of those share.
  private static let demanded = [
    "later.js": """
    import { greet } from "./parts/greet.js";
    import { count } from "./both.js";
    export const later = greet(count());

    """,
    "other.js": "import { count as number } from \"./both.js\";\nexport { number };\n",
    "both.js": "export function count() {\n  return 2;\n}\n",
  ]

  private func withPage(_ body: @Sendable (HubFixture, _ folder: String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hub-version-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/parts", withIntermediateDirectories: true)
    for (path, text) in Self.files.merging(Self.demanded, uniquingKeysWith: { $1 }) {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(path)"))
    }
    var configuration = HubConfiguration()
    configuration.webRoot = folder
    try await HubFixture.run(configuration) { hub in try await body(hub, folder) }
  }

  /// The folder that the index refers to.
  private func version(_ hub: HubFixture) async throws -> String {
    let text = try await hub.send(.GET, "/").text
    return String(try #require(text.firstMatch(of: /page-[A-Za-z0-9_-]+/)).output)
  }

  @Test func theIndexRefersToFilesThatNeverChange() async throws {
    try await withPage { hub, _ in
      let (text, version) = (try await hub.send(.GET, "/").text, try await version(hub))
      #expect(text.contains("href=\"\(version)/icon.svg\"") && text.contains("src=\"\(version)/main.js\""))
      #expect(text.contains("href=\"app.webmanifest\"") && text.contains("\"https://example.org/main.js\""))
      #expect(text.contains("href=\"\(version)/styles.css\"") && !text.contains("a.css") && !text.contains("b.css"))
      for path in ["main.js", "styles.css", "icon.svg", "parts/greet.js", "later.js"] {
        let reply = try await hub.send(.GET, "/\(version)/\(path)")
        #expect(reply.status == 200, "\(path)")
        #expect(reply.headers.first(name: "Cache-Control") == "public, max-age=31536000, immutable")
        #expect(reply.headers.first(name: "Content-Security-Policy") != nil)
      }
      let styles = try await hub.send(.GET, "/\(version)/styles.css").text
      #expect(styles == "a { color: red; }\nb { }")
    }
  }

  @Test func theModulesAreOneWithoutTheirComments() async throws {
    try await withPage { hub, _ in
      let version = try await version(hub)
      let main = try await hub.send(.GET, "/\(version)/main.js").text
      #expect(main.contains("function greet(who) {\nreturn `hello ${who}`;\n}"))
      #expect(main.contains("const {greet}=$m0;") && main.contains("const all=$m0;"))
      #expect(!main.contains("import {") && !main.contains("Says") && !main.contains("What starts"))
      #expect(try await hub.send(.GET, "/main.js").text == Self.files["main.js"])
    }
  }

  /// Each module that is imported on demand comes with its own, what several need comes once, and nothing has two copies.
  @Test func whatIsImportedOnDemandIsJoinedBySubject() async throws {
    try await withPage { hub, folder in
      let version = try await version(hub)
      var texts: [String] = []
      for path in ["later.js", "other.js", "shared-modules.js"] {
        texts.append(try await hub.send(.GET, "/\(version)/\(path)").text)
      }
      let imports = "import{$m0}from\"./main.js\";\nimport{$m2}from\"./shared-modules.js\";\n"
      #expect(texts[0].hasPrefix(imports + "const $m3={};{"))
      #expect(texts[0].hasSuffix("const {later}=$m3;export{later};\n"))
      #expect(texts[1].contains("const {count:number}=$m2;") && texts[1].hasSuffix("export{number};\n"))
      let shared = "const $m2={};{\nfunction count() {\nreturn 2;\n}\nObject.assign($m2,{count});\n}\nexport{$m2};\n"
      #expect(texts[2] == shared)
      let wrong = "import { absent } from \"./both.js\";\nexport const later = absent;\n"
      try Data(wrong.utf8).write(to: URL(fileURLWithPath: folder + "/later.js"))
      try await hub.eventually { try await self.version(hub) != version }
      let apart = try await self.version(hub)
      #expect(try await hub.send(.GET, "/\(apart)/later.js").text == wrong)
      #expect(try await hub.send(.GET, "/\(apart)/main.js").text == Self.files["main.js"])
    }
  }

  @Test func whatAnotherVersionIsAskedForIsNotKept() async throws {
    try await withPage { hub, _ in
      let reply = try await hub.send(.GET, "/page-other/main.js")
      #expect(reply.status == 200 && reply.headers.first(name: "Cache-Control") == "no-store")
      for path in [
        "/page-other/../index.html", "/page-other/%2e%2e/main.js", "/page-other/", "/page-other", "/page-other/no.js",
      ] {
        let reply = try await hub.send(.GET, path)
        #expect(reply.status == 404 || reply.text.contains("<link"), "\(path)")
      }
    }
  }

  @Test func textsAreCompressedForThoseWhoTakeThat() async throws {
    try await withPage { hub, folder in
      let text = String(repeating: "/* much of the same */\n", count: 200)
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/a.css"))
      try await hub.eventually { try await hub.send(.GET, "/a.css").text == text }
      for (accepted, isCompressed) in [
        ("gzip, deflate, br", true), ("GZIP;q=0.5", true), ("gzip;q=0", false), ("br", false), ("identity", false),
      ] {
        let reply = try await hub.send(.GET, "/a.css", headers: [("Accept-Encoding", accepted)])
        #expect(reply.headers.first(name: "Vary") == "Accept-Encoding")
        #expect((reply.headers.first(name: "Content-Encoding") == "gzip") == isCompressed, "\(accepted)")
        #expect(isCompressed ? reply.body.readableBytes < 200 : reply.text == text)
        let tag = try #require(reply.headers.first(name: "ETag"))
        let headers = [("Accept-Encoding", accepted), ("If-None-Match", tag)]
        #expect(try await hub.send(.GET, "/a.css", headers: headers).status == 304)
      }
    }
  }

  @Test func aChangedFileIsSentSoon() async throws {
    try await withPage { hub, folder in
      let before = try await version(hub)
      try Data("export function greet() {\n}\n".utf8).write(to: URL(fileURLWithPath: folder + "/parts/greet.js"))
      try await hub.eventually { try await version(hub) != before }
      let after = try await version(hub)
      #expect(try await hub.send(.GET, "/\(after)/main.js").text.contains("function greet() {\n}"))
      try Data("export let greet = 1;\n".utf8).write(to: URL(fileURLWithPath: folder + "/parts/greet.js"))
      try await hub.eventually { try await version(hub) != after }
      let apart = try await version(hub)
      #expect(try await hub.send(.GET, "/\(apart)/main.js").text == Self.files["main.js"])
    }
  }

  /// The page of the source tree: what cannot be joined would cost it a round trip for each of its modules.
  @Test func thePageItselfIsJoined() async throws {
    var configuration = HubConfiguration()
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    configuration.webRoot = top.appending(path: "Sources/Hub/HubHTTP/web").path
    try await HubFixture.run(configuration) { hub in
      let version = try await version(hub)
      let main = try await hub.send(.GET, "/\(version)/main.js").text
      #expect(main.hasPrefix("const $m0={};{") && !main.contains("import {"))
      let calls = try await hub.send(.GET, "/\(version)/call-page.js").text
      #expect(calls.hasPrefix("import{$m") && calls.contains("export{Call,CallPage};") && !calls.contains("import {"))
    }
  }
}
