import CallPolicy
import FoundationEssentials
import MediaCore
import Signalling
import Testing

@testable import CallEngine
@testable import HubClient

/// A message of the hub: its fields with values that are well-formed, as JSON.
private struct Message {
  var name: String
  var fields: [(name: String, json: String)]

  init(_ name: String, _ fields: [(String, String)]) {
    self.name = name
    self.fields = fields.map { (name: $0.0, json: $0.1) }
  }

  /// The message with each field in turn replaced by each extreme value, and without it.
  var mutations: [[UInt8]] {
    var bodies = [body(fields)]
    for index in fields.indices {
      var fewer = fields
      fewer.remove(at: index)
      bodies.append(body(fewer))
      for value in extremes {
        var changed = fields
        changed[index].json = value
        bodies.append(body(changed))
      }
    }
    return bodies
  }

  private func body(_ fields: [(name: String, json: String)]) -> [UInt8] {
    Array("{\(fields.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ","))}".utf8)
  }
}

private let extremes: [String] =
  [
    "0", "-0", "-1", "1", "0.5", "1e308", "-1e308", "1e400", "1e-400", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "18446744073709551616", "2147483648", "-2147483649", "null", "true", "{}", "[]", "[null]",
    "[[]]", "NaN", "\"\"", "\"s\"", "\"\\u0000\"", "\"\\ud800\"", "\"\\u202e\\r\\n\\u001b[2J\"", "\"-1\"",
    "\"bytes=1-\"", "\"bytes=-9223372036854775807\"", "\"bytes=9223372036854775807-\"",
    "\"bytes=0-9223372036854775807\"", "\"archives/a/v.webm\"", "\"mute\"", "\"start-archive\"", "\"moderator\"",
    "[{\"urls\":[\"turn:\",\"stun:a:99999\",\"turns:[::1]:0\"],\"username\":\"\",\"credential\":null}]",
    "[{\"candidate\":\"candidate:1 999 udp 4294967296 a 65536 typ host\",\"sdpMLineIndex\":-9223372036854775808}]",
    "[{\"candidate\":\"\",\"sdpMLineIndex\":9223372036854775807}]",
  ] + [
    "\"" + String(repeating: "ä", count: 100_000) + "\"", String(repeating: "[", count: 5_000),
    String(repeating: "[", count: 400) + String(repeating: "]", count: 400), String(repeating: "9", count: 10_000),
  ]

private let eventMessages = [
  Message("hello", [("eventStreamID", "\"e\""), ("isReset", "false")]),
  Message(
    "call.incoming",
    [
      ("sessionID", "\"s\""), ("callerID", "\"c\""), ("callerTitle", "\"C\""), ("callerRole", "\"user\""),
      ("callerGroups", "[]"), ("distance", "1.5"), ("isAudio", "true"), ("isVideo", "true"), ("offer", "\"v=0\""),
      ("token", "\"t\""), ("iceServers", "[]"),
    ]),
  Message("call.ringing", [("sessionID", "\"s\"")]),
  Message("call.answered", [("sessionID", "\"s\""), ("sdp", "\"v=0\"")]),
  Message("call.candidates", [("sessionID", "\"s\""), ("candidates", "[]")]),
  Message("call.offer", [("sessionID", "\"s\""), ("sdp", "\"v=0\"")]),
  Message("signal", [("sessionID", "\"s\""), ("userID", "\"u\""), ("type", "\"chat\""), ("data", "\"d\"")]),
  Message(
    "control",
    [
      ("sessionID", "\"s\""), ("userID", "\"u\""), ("role", "\"moderator\""), ("action", "\"unmute\""),
      ("target", "\"camera\""),
    ]),
  Message("archive.started", [("sessionID", "\"s\""), ("archiveID", "\"a\""), ("status", "\"started\"")]),
  Message("archive.stopped", [("sessionID", "\"s\""), ("archiveID", "\"a\""), ("status", "\"stopped\"")]),
  Message(
    "request",
    [("uploadID", "\"u\""), ("path", "\"archives/a/v.webm\""), ("range", "\"bytes=1-\""), ("maximumBytes", "100")]),
  Message("call.rejected", [("sessionID", "\"s\""), ("reason", "\"busy\"")]),
  Message("call.ended", [("sessionID", "\"s\""), ("reason", "\"hangup\"")]),
]

private let answerMessages = [
  Message("login", [("userID", "\"d\""), ("accessToken", "\"t\""), ("expiresAt", "1"), ("role", "\"device\"")]),
  Message(
    "claims", [("iat", "1"), ("exp", "2")]),
  Message(
    "grant", [("sessionID", "\"s\""), ("publisherToken", "\"t\""), ("subscriberToken", "null"), ("iceServers", "[]")]),
  Message("users", [("count", "0"), ("items", "[]")]),
  Message("problem", [("type", "\"busy\""), ("title", "\"Busy\""), ("status", "409"), ("detail", "null")]),
]

/// Every message that the hub can send, each of its fields replaced by what no hub should send: nothing traps.
@Suite("A hub that says anything", .timeLimit(.minutes(2)))
struct HostileHubTests {
  @Test("Events", arguments: eventMessages.indices) func events(index: Int) async throws {
    let message = eventMessages[index]
    let near = try PolicyRule(
      name: "near", conditions: [.within(metres: 100), .callUp(true)], decision: .reject(.busy))
    let all = try PolicyRule(name: "all", conditions: [], decision: .answer(AnswerSettings()))
    let bench = try EngineBench(policy: CallPolicy(rules: [near, all]))
    await bench.connectedCall()
    var decoded = 0
    for body in message.mutations {
      let event = ServerSentEvent(name: message.name, data: body, id: "")
      guard let typed = try? HubEvent(event) else { continue }
      decoded += 1
      if case .request(let request) = typed { check(request) }
      await bench.engine.handle(typed)
      await bench.advance(.milliseconds(10))
    }
    #expect(decoded > 0, "the message itself is not understood")
  }

  /// Of files of any size, no more is answered than there is and the hub takes.
  private func check(_ request: RequestEvent) {
    for size in [0, 100, Int64.max] {
      let answer = ArchiveAnswer.part(of: SizedFile(size: size), range: request.range, maximum: request.maximumBytes)
      #expect((0...max(0, min(size, request.maximumBytes))).contains(answer.content.count) || answer.status == 416)
    }
  }

  @Test("Answers to requests", arguments: answerMessages.indices) func answers(index: Int) {
    for body in answerMessages[index].mutations {
      let answer = HubTransport.Answer(status: 409, body: body)
      if let login = try? answer.decode(LoginResponse.self) { _ = AccessToken(login, now: .now) }
      _ = try? answer.decode(SessionGrant.self)
      _ = try? answer.decode(NearbyUsers.self)
      #expect(throws: HubClientError.self) { try answer.checkStatus() }
      let token = "e30.\(Data(body).base64EncodedString()).x"
      if let lifetime = AccessToken.lifetime(ofJWT: token) { #expect(lifetime > .zero && lifetime < .seconds(1e8)) }
    }
  }

  @Test(
    "The stream's own fields",
    arguments: ["0", "-1", "60001", "9223372036854775807", "99999999999999999999", "1e9", "NaN", "", " 5", "٣"])
  func reconnectionTime(text: String) {
    var parser = ServerSentEventParser()
    _ = parser.push(Array("retry: \(text)\nid: \(text)\nevent: \(text)\ndata\n\n".utf8))
    #expect((0...60_000).contains(parser.reconnectionTime ?? 0))
  }
}

private struct SizedFile: ArchiveFileReading {
  var size: Int64
  var contentType: String { "video/webm" }
  var fileName: String? { nil }
  func read(at offset: Int64, count: Int) async throws -> [UInt8] { [] }
}
