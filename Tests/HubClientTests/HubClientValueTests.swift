import Foundation
import HTTPConnections
import TestServers
import NIOCore
import Signalling
import SystemSupport
import Testing

@testable import HubClient

@Suite("Small things of the hub client")
struct HubClientValueTests {
  @Test(
    "Events with fields that are too long are refused",
    arguments: [
      ("call.ended", #"{"sessionID":"s","reason":"#, 64), ("call.offer", #"{"sessionID":"s","sdp":"#, 32_768),
      ("call.answered", #"{"sessionID":"s","sdp":"#, 32_768),
      ("signal", #"{"sessionID":"s","userID":"u","type":"chat","data":"#, 8_192),
      ("control", #"{"sessionID":"s","userID":"u","role":"moderator","action":"#, 64),
    ])
  func longFields(name: String, json: String, limit: Int) throws {
    func event(_ count: Int) -> ServerSentEvent {
      let text = json + "\"" + String(repeating: "x", count: count) + "\"}"
      return ServerSentEvent(name: name, data: Array(text.utf8), id: "")
    }
    #expect(try HubEvent(event(limit)) != nil)
    #expect(throws: HubClientError.self) { try HubEvent(event(limit + 1)) }
  }

  @Test(
    "Usable URLs",
    arguments: [
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("https://hub.example/", "https://hub.example"),
      ("HTTPS://hub.example/live//", "https://hub.example/live"), ("http://[::1]:80", "http://[::1]"),
      ("https://[::1]:80", "https://[::1]:80"),
    ])
  func goodURL(text: String, expected: String) throws {
    #expect(try HubClientConfiguration(baseURL: text, title: "t", enrolmentKey: nil).origin.description == expected)
  }

  @Test(
    "URLs that are none, or carry what does not belong there",
    arguments: [
      "", "hub.example", "ftp://x", "http://", "https://:80", "https://u:p@x", "https://x?y", "https://x#y",
      "https://a b", "https://ä", "https://x\r\nHost: y", "https://x:", "https://x:0", "https://x:65536",
      "https://x:+1",
      "https://::1", "https://[::1", "https://[::1]8", "https://[x]",
    ])
  func badURL(text: String) {
    #expect(throws: HubClientError.self) {
      try HubClientConfiguration(baseURL: text, title: "t", enrolmentKey: nil)
    }
  }

  @Test func theEnrolmentKeyDoesNotShowItself() throws {
    let configuration = try HubClientConfiguration(
      baseURL: "http://x", title: "t", enrolmentKey: HubEnrolmentKey("s3cr3t"))
    var dumped = ""
    dump(configuration, to: &dumped)
    #expect(!dumped.contains("s3cr3t"))
    #expect(!String(describing: configuration).contains("s3cr3t"))
    #expect(!String(reflecting: configuration).contains("s3cr3t"))
  }

  @Test func aTokenLivesAsLongAsTheHubsOwnClockSays() {
    let claims = Data(#"{"iat":10,"exp":3610,"sub":"?>?>"}"#.utf8).base64EncodedString()
    let base64URL = claims.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    #expect(AccessToken.lifetime(ofJWT: "e30.\(base64URL).sig") == .seconds(3600))
  }

  @Test("No lifetime to be found", arguments: ["", "a.b", "a.b.c", "a.e30.c", "a.eyJpYXQiOjksImV4cCI6M30.c"])
  func noLifetime(token: String) {
    #expect(AccessToken.lifetime(ofJWT: token) == nil)
  }

  @Test("A connection that is refused says so and no more")
  func refusedConnection() async {
    let error = IOError(errnoCode: ECONNREFUSED, reason: "connection reset (error set)")
    #expect(
      HubClientError.unreachable(ConnectionFailure.message(for: error)).description
        == "cannot reach the hub: connection refused")
  }

  @Test("A certificate that may only look bad is told as such")
  func certificates() {
    let refused = HubClientError.unreachable(
      "the server's certificate is not yet valid by this device's clock; see whether the clock is right"
    )
    #expect(told(refused, isClockSynchronized: false).contains("a good certificate may seem not yet valid"))
    #expect(!told(refused, isClockSynchronized: true).contains("certificate may"))
    #expect(!told(.unreachable("connection refused"), isClockSynchronized: false).contains("certificate"))
    #expect(
      told(.unreachable("connection refused"), isClockSynchronized: true)
        .contains("https://hub.example: cannot reach the hub: connection refused"))
  }

  @Test("An impostor who takes the place of a hub that went is told, and nothing twice")
  func impostors() {
    let log = RecordedLog()
    let reachability = ReachabilityLog(hub: "https://hub.example", logger: log.logger, isClockSynchronized: { true })
    reachability.succeeded()
    let gone = HubClientError.unreachable("the connection was closed before the answer was whole")
    for _ in 0..<3 {
      reachability.failed(gone)
      reachability.failed(.unreachable("the server's certificate is not for hub.example"))
      reachability.failed(.unreachable("TLS: wrong version number"))
      reachability.failed(.refused(status: 403, problem: nil))
    }
    #expect(log.lines.count { $0.contains("the connection was closed") } == 1)
    #expect(log.lines.count { $0.contains("the server's certificate is not for hub.example") } == 1)
    #expect(log.lines.count { $0.contains("the hub refused with status 403") } == 1)
    reachability.succeeded()
    reachability.failed(gone)
    #expect(log.lines.count { $0.contains("the connection was closed") } == 2)
  }

  private func told(_ error: HubClientError, isClockSynchronized: Bool) -> String {
    let log = RecordedLog()
    let hub = "https://hub.example"
    ReachabilityLog(hub: hub, logger: log.logger, isClockSynchronized: { isClockSynchronized }).failed(error)
    return log.lines.map { "\($0)\n" }.joined()
  }

  @Test("A pause ends early when asked, also when asked before it begins")
  func pausesEnd() async {
    let pause = InterruptiblePause()
    let waiter = Task { await pause.wait(for: .seconds(600)) }
    pause.end()
    #expect(await waiter.value)
    #expect(await !pause.wait(for: .milliseconds(1)))
    let cancelled = Task { await pause.wait(for: .seconds(600)) }
    cancelled.cancel()
    #expect(await !cancelled.value)
  }

  private func event(_ name: String, _ json: String) -> ServerSentEvent {
    ServerSentEvent(name: name, data: Array(json.utf8), id: "1")
  }

  @Test func eventsAreTyped() throws {
    let typed = try HubEvent(event("call.ended", #"{"sessionID":"s-1","reason":"hangup"}"#))
    guard case .callEnded(let end) = typed else {
      Issue.record("not an end")
      return
    }
    #expect(end.reason == "hangup")
    #expect(typed?.sessionID == "s-1")
  }

  @Test func eventsOfLaterVersionsAreIgnored() throws {
    #expect(try HubEvent(event("call.hologram", "{}")) == nil)
  }

  @Test("Events that are refused", arguments: [#"{"sessionID":"../x","reason":"r"}"#, "{}", "[", ""])
  func malformed(json: String) {
    #expect(throws: HubClientError.self) { try HubEvent(event("call.ended", json)) }
  }
}
