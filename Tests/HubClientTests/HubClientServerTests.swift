import FoundationEssentials
import Logging
import NIOCore
import SessionToken
import Signalling
import MediaCore
import TestSupport
import Testing

@testable import HubClient

/// Against a real HTTP server on loopback.
@Suite("Hub client and server", .timeLimit(.minutes(1)))
struct HubClientServerTests {
  private static let login = #"{"userID":"d1","accessToken":"t0","expiresAt":0,"role":"device"}"#

  /// Runs a client against a scripted server and takes both down again.
  private func withServer(
    _ script: @escaping ScriptedServer.Script,
    _ body: (HubClient, ScriptedServer) async throws -> Void
  ) async throws {
    let server = ScriptedServer(script)
    var configuration = try HubClientConfiguration(
      baseURL: await server.start(), title: "Gate", enrolmentKey: HubEnrolmentKey("k"))
    configuration.requestTimeout = .seconds(2)
    let client = HubClient(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    var failure: (any Error)?
    do { try await body(client, server) } catch { failure = error }
    await client.shutdown()
    try await server.stop()
    if let failure { throw failure }
  }

  @Test func theTokenOfOneLoginServesAllRequests() async throws {
    try await withServer { request, _ in
      request.line == "POST /v1/login" ? .json(Self.login) : .json("")
    } _: { client, server in
      try await client.send(.ringing, sessionID: "s-1")
      try await client.send(.answer(SessionDescription(sdp: "v=0")), sessionID: "s-1")
      #expect(server.lines("POST /v1/login").count == 1)
      #expect(server.lines("POST /v1/login").first?.body.contains(#""enrolmentKey":"k""#) == true)
      #expect(server.requests.last?.line == "POST /v1/sessions/s-1/answer")
      #expect(server.requests.last?.headers["authorization"] == "Bearer t0")
      #expect(server.requests.last?.body == #"{"sdp":"v=0"}"#)
      #expect(await client.userID == "d1")
    }
  }

  @Test func theKeysAreAskedForWithoutAToken() async throws {
    let keys = #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"k"}]}"#
    try await withServer { _, number in
      number == 0 ? .json(keys) : number == 1 ? .json("{}") : .json("", status: 503)
    } _: { client, server in
      let fetched = try await client.signingKeys()
      #expect(fetched["k"]?.count == 32)
      #expect(server.requests.map(\.line) == ["GET /.well-known/jwks.json"])
      #expect(server.requests.first?.headers["authorization"] == nil)
      await #expect(throws: HubClientError.self) { try await client.signingKeys() }
      await #expect(throws: HubClientError.self) { try await client.signingKeys() }
      #expect(server.requests.count == 3)
    }
  }

  @Test func aCallIsPlacedUnderTheDevicesOwnIDAndRepeatedWhenTheHubIsInTrouble() async throws {
    let grant =
      #"{"sessionID":"s-1","publisherToken":"p","iceServers":[{"urls":["turn:t"],"username":"u","credential":"c"}]}"#
    try await withServer { request, number in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      return number < 1 ? .json("", status: 503) : .json(grant, status: 201)
    } _: { client, server in
      let request = SessionRequest(receiverID: "anna", isAudio: true, isVideo: false, offer: "v=0")
      let placed = try await client.place(request, sessionID: "s-1")
      #expect(placed.iceServers == [ICEServer(urls: ["turn:t"], username: "u", credential: "c")])
      let requests = server.lines("PUT /v1/sessions/s-1")
      #expect(requests.count == 2)
      let body = try #require(requests.last?.body)
      for part in [#""receiverID":"anna""#, #""isAudio":true"#, #""isVideo":false"#, #""offer":"v=0""#] {
        #expect(body.contains(part))
      }
    }
  }

  @Test("A call that is refused carries the hub's word", arguments: [(404, "receiver-offline"), (409, "glare")])
  func refusedCalls(status: Int, type: String) async throws {
    try await withServer { request, _ in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      return .json(#"{"type":"\#(type)","title":"No","status":\#(status)}"#, status: status)
    } _: { client, server in
      let request = SessionRequest(receiverID: "anna", isAudio: true, isVideo: true, offer: "v=0")
      await #expect {
        try await client.place(request, sessionID: "s")
      } throws: { error in
        guard let error = error as? HubClientError else { return false }
        return error.refusal == type && !error.isAbsence
      }
      #expect(server.lines("PUT /v1/sessions/s").count == 1)
    }
  }

  @Test func anOfferWithinACallIsSentOnce() async throws {
    try await withServer { request, _ in
      request.line == "POST /v1/login" ? .json(Self.login) : .json("", status: 503)
    } _: { client, server in
      await #expect(throws: HubClientError.self) {
        try await client.send(.offer(SessionDescription(sdp: "v=0")), sessionID: "s-1")
      }
      #expect(server.lines("POST /v1/sessions/s-1/offer").count == 1)
      #expect(server.requests.last?.line == "POST /v1/sessions/s-1/offer")
      #expect(server.requests.last?.body == #"{"sdp":"v=0"}"#)
    }
  }

  @Test func aTokenThatIsRefusedIsReplacedOnce() async throws {
    try await withServer { request, number in
      if request.line == "POST /v1/login" {
        return .json(#"{"userID":"d1","accessToken":"t\#(number)","expiresAt":0,"role":"device"}"#)
      }
      return .json("", status: request.headers["authorization"] == "Bearer t1" ? 204 : 401)
    } _: { client, server in
      try await client.send(.reject(SessionEnding(reason: "busy")), sessionID: "s")
      #expect(server.lines("POST /v1/login").count == 2)
      #expect(server.lines("POST /v1/sessions/s/reject").count == 2)
    }
  }

  @Test func noOtherTitleThanTheAccountsIsAnnounced() async throws {
    try await withServer { request, _ in
      let login = #"{"userID":"d1","accessToken":"t","expiresAt":0,"role":"device","userTitle":"Door"}"#
      return request.line == "POST /v1/login" ? .json(login) : .json("", status: 204)
    } _: { client, server in
      try await client.updatePresence(PresenceUpdate(userTitle: "Gate", kind: .device, isAudio: true, isVideo: true))
      #expect(server.lines("PUT /v1/presence").first?.body.contains("userTitle") == false)
      #expect(await client.userTitle == "Door")
    }
  }

  @Test func aReportGoesWithOneHeartbeatThatArrives() async throws {
    let login = #"{"userID":"d1","accessToken":"t","expiresAt":9999999999999,"role":"device"}"#
    try await withServer { request, number in
      if request.line == "POST /v1/login" { return .json(login) }
      return .json("", status: number == 0 ? 503 : 204)
    } _: { client, server in
      let update = PresenceUpdate(kind: .device, isAudio: true, isVideo: true)
      client.setReport(DeviceReport(version: "1.2", uptime: 60, cameras: 1, isClockSynchronized: true))
      await #expect(throws: HubClientError.self) { try await client.updatePresence(update) }
      for _ in 0..<2 { try await client.updatePresence(update) }
      let bodies = server.lines("PUT /v1/presence").map(\.body)
      #expect(bodies.map { $0.contains(#""version":"1.2""#) } == [true, true, false])
    }
  }

  /// Tokens that live for two seconds: the second login fails, which harms nobody until the first token ends.
  @Test func aTokenServesToItsEndWhileTheHubIsInTrouble() async throws {
    let claims = Array(#"{"iat":0,"exp":2}"#.utf8)
    let token = "e30." + Data(claims).base64EncodedString().replacing("=", with: "") + ".s"
    try await withServer { request, number in
      if request.line != "POST /v1/login" { return .json("", status: 204) }
      let login = #"{"userID":"d1","accessToken":"\#(token)","expiresAt":0,"role":"device"}"#
      return number == 0 ? .json(login) : .json("", status: 503)
    } _: { client, server in
      try await client.withdrawPresence()
      try await Task.sleep(for: .milliseconds(1_650))
      try await client.withdrawPresence()
      #expect(server.lines("POST /v1/login").count == 2)
      try await Task.sleep(for: .milliseconds(500))
      await #expect(throws: HubClientError.self) { try await client.withdrawPresence() }
    }
  }

  @Test func aStreamThatEndsWithItsTokenGoesOnUnderTheNextOne() async throws {
    try await withServer { request, number in
      if request.line == "POST /v1/login" {
        return .json(#"{"userID":"d1","accessToken":"t\#(number)","expiresAt":0,"role":"device"}"#)
      }
      // Another request's refusal replaces the token while the stream runs.
      if request.line != "GET /v1/events" { return .json("", status: number == 0 ? 401 : 204) }
      let hello = "id: 7\nevent: hello\ndata: {\"eventStreamID\":\"e\(number)\",\"isReset\":false}\n\n"
      return number == 0 ? .events(hello, endsAfter: .milliseconds(300)) : .events(hello)
    } _: { client, server in
      let (events, sink) = AsyncStream.makeStream(of: HubStreamEvent.self)
      let task = Task { await client.run { sink.yield($0) } }
      var seen: [String] = []
      for await event in events {
        seen.append(Self.name(event))
        if seen.count == 1 { try await client.withdrawPresence() }
        if seen.count == 2 { break }
      }
      #expect(seen == ["hello e0", "hello e1"])
      #expect(client.lastOutage == nil)
      let streams = server.lines("GET /v1/events")
      #expect(streams.map { $0.headers["authorization"] } == ["Bearer t0", "Bearer t1"])
      #expect(streams.last?.headers["last-event-id"] == "7")
      task.cancel()
      await task.value
    }
  }

  @Test(
    "Why the device is offline is told apart",
    arguments: [
      (401, #"{"type":"bad-credentials","title":"t","status":401}"#, "enrolment key"),
      (403, #"{"type":"not-allowed","title":"t","status":403,"detail":"Host: no"}"#, "Host: no"),
      (502, "", "status 502"),
    ])
  func outages(status: Int, body: String, words: String) async throws {
    try await withServer { _, _ in
      .json(body, status: status)
    } _: { client, server in
      #expect(client.lastOutage == nil)
      let task = Task { await client.run { _ in } }
      try await eventually { client.lastOutage != nil }
      #expect(client.lastOutage?.text.contains(words) == true)
      task.cancel()
      await task.value
    }
  }

  @Test func aHubInTroubleIsAskedAgainAFewTimes() async throws {
    try await withServer { request, number in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      return .json("", status: number < 2 ? 503 : 204)
    } _: { client, server in
      try await client.send(.end(SessionEnding(reason: "hangup")), sessionID: "s")
      #expect(server.lines("DELETE /v1/sessions/s").count == 3)
    }
  }

  @Test func aHubThatAsksForALittlePatienceGetsIt() async throws {
    try await withServer { request, number in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      return number == 0
        ? ScriptedServer.Response(status: 503, headers: [("Retry-After", "1")]) : .json("", status: 204)
    } _: { client, server in
      let start = ContinuousClock.now
      try await client.send(.end(SessionEnding(reason: "hangup")), sessionID: "s")
      #expect(ContinuousClock.now - start >= .seconds(1))
      #expect(server.lines("DELETE /v1/sessions/s").count == 2)
    }
  }

  @Test(
    arguments: [
      ("30", 30, 1), ("31536000", 86_400, 1), ("99999999999999999999", nil, 3), ("-1", nil, 3),
      ("Wed, 21 Oct 2026 07:28:00 GMT", nil, 3),
    ] as [(String, Int64?, Int)])
  func howLongAHubMayAskToWaitIsBounded(retryAfter: String, seconds: Int64?, attempts: Int) async throws {
    try await withServer { request, _ in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      return ScriptedServer.Response(status: 503, headers: [("Retry-After", retryAfter)])
    } _: { client, server in
      await #expect {
        try await client.send(.ringing, sessionID: "s")
      } throws: { error in
        (error as? HubClientError)?.retryAfter == seconds.map { TimeSpan.seconds($0) }
      }
      // Not so soon again where the hub wants to be left alone.
      #expect(server.lines("POST /v1/sessions/s/ringing").count == attempts)
    }
  }

  @Test func aStreamThatIsRefusedIsOpenedWhenTheHubAsksForIt() async throws {
    try await withServer { request, number in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      guard number > 0 else { return ScriptedServer.Response(status: 503, headers: [("Retry-After", "1")]) }
      return .events("event: hello\ndata: {\"eventStreamID\":\"e\",\"isReset\":false,\"heartbeatInterval\":240}\n\n")
    } _: { client, _ in
      let start = ContinuousClock.now
      let (events, sink) = AsyncStream.makeStream(of: HubStreamEvent.self)
      let task = Task { await client.run { sink.yield($0) } }
      for await event in events {
        guard case .event(.hello(let hello)) = event else { continue }
        #expect(hello.heartbeatInterval == 240)
        break
      }
      #expect((.seconds(1)..<Duration.seconds(4)).contains(ContinuousClock.now - start))
      task.cancel()
      await task.value
    }
  }

  @Test func aSignalIsNeverSentTwice() async throws {
    try await withServer { request, _ in
      request.line == "POST /v1/login" ? .json(Self.login) : .json("", status: 503)
    } _: { client, server in
      await #expect(throws: HubClientError.self) {
        try await client.send(.signal(SessionSignal(type: "chat", data: "hi")), sessionID: "s")
      }
      #expect(server.lines("POST /v1/sessions/s/signal").count == 1)
    }
  }

  @Test func aRefusalCarriesTheHubsProblem() async throws {
    try await withServer { request, _ in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      return .json(#"{"type":"wrong-state","title":"No","status":409}"#, status: 409)
    } _: { client, server in
      await #expect {
        try await client.send(.answer(SessionDescription(sdp: "x")), sessionID: "s")
      } throws: { error in
        guard case HubClientError.refused(status: 409, let problem, _) = error else { return false }
        return problem?.type == "wrong-state"
      }
      #expect(server.lines("POST /v1/sessions/s/answer").count == 1)
    }
  }

  @Test func endingASessionThatTheHubHasForgottenIsASuccess() async throws {
    try await withServer { request, _ in
      request.line == "POST /v1/login" ? .json(Self.login) : .json("", status: 404)
    } _: { client, _ in
      try await client.send(.end(SessionEnding(reason: "hangup")), sessionID: "s")
    }
  }

  @Test func aRedirectIsNotFollowed() async throws {
    try await withServer { request, _ in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      return ScriptedServer.Response(status: 307, headers: [("Location", "/elsewhere")])
    } _: { client, server in
      await #expect(throws: HubClientError.self) { try await client.withdrawPresence() }
      #expect(!server.requests.contains { $0.line.contains("elsewhere") })
    }
  }

  @Test func anAbsentHubIsNoMoreThanAnError() async throws {
    let configuration = try HubClientConfiguration(baseURL: "http://127.0.0.1:1", title: "t", enrolmentKey: nil)
    let client = HubClient(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    await #expect {
      try await client.send(.ringing, sessionID: "s")
    } throws: { ($0 as? HubClientError)?.isAbsence == true }
    await client.shutdown()
  }

  @Test func aStreamThatBreaksIsResumedAfterTheLastEvent() async throws {
    try await withServer { request, number in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      let hello = "event: hello\ndata: {\"eventStreamID\":\"e\(number)\",\"isReset\":false}\n\n"
      guard number > 0 else {
        return .events(
          hello + "id: 41\nevent: call.ended\ndata: {\"sessionID\":\"a\",\"reason\":\"x\"}\n\nid: 42\nevent: call.en",
          breaksOff: true)
      }
      return .events(hello + "id: 42\nevent: call.ended\ndata: {\"sessionID\":\"b\",\"reason\":\"x\"}\n\n")
    } _: { client, server in
      let (events, sink) = AsyncStream.makeStream(of: HubStreamEvent.self)
      let task = Task { await client.run { sink.yield($0) } }
      var seen: [String] = []
      for await event in events {
        seen.append(Self.name(event))
        if seen.last == "end b" { break }
      }
      task.cancel()
      await task.value
      #expect(seen == ["hello e0", "end a", "closed", "hello e1", "end b"])
      let streams = server.lines("GET /v1/events")
      #expect(streams.map { $0.headers["last-event-id"] } == [nil, "41"])
      #expect(streams.first?.headers["accept"] == "text/event-stream")
    }
  }

  @Test func aRetryThatIsAskedForComesAtOnce() async throws {
    let (failures, failed) = AsyncStream.makeStream(of: Void.self)
    let server = ScriptedServer { request, number in
      if request.line == "POST /v1/login" { return .json(Self.login) }
      guard number > 0 else {
        failed.yield()
        return .json("", status: 503)
      }
      return .events("event: hello\ndata: {\"eventStreamID\":\"e\",\"isReset\":false}\n\n")
    }
    var configuration = try HubClientConfiguration(baseURL: await server.start(), title: "Gate", enrolmentKey: nil)
    // Longer than the suite may take: only the request to retry can end it.
    configuration.reconnectPauses = .seconds(600)...(.seconds(600))
    let client = HubClient(configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let (events, sink) = AsyncStream.makeStream(of: HubStreamEvent.self)
    let task = Task { await client.run { sink.yield($0) } }
    for await _ in failures { break }
    client.retryNow()
    for await event in events {
      #expect(Self.name(event) == "hello e")
      break
    }
    #expect(server.lines("GET /v1/events").count == 2)
    task.cancel()
    await task.value
    await client.shutdown()
    try await server.stop()
  }

  private static func name(_ event: HubStreamEvent) -> String {
    switch event {
    case .event(.hello(let hello)): "hello \(hello.eventStreamID)"
    case .event(.callEnded(let end)): "end \(end.sessionID)"
    case .closed: "closed"
    default: "?"
    }
  }

  @Test func archiveFilesAreUploadedWithTheirRange() async throws {
    try await withServer { request, _ in
      request.line == "POST /v1/login" ? .json(Self.login) : .json("", status: 204)
    } _: { client, server in
      let text = Array("0123456789".utf8)
      let uploader = ArchiveUploader(
        client: client, content: RequestedContent(archives: MemoryArchives(files: ["a/v.webm": text])))
      await uploader.answer(
        RequestEvent(uploadID: "up1", path: "archives/a/v.webm", range: "bytes=2-5", maximumBytes: 100))
      await uploader.answer(RequestEvent(uploadID: "../x", path: "archives", range: nil, maximumBytes: 100))
      await uploader.finish()
      let upload = try #require(server.lines("POST /v1/uploads/up1").first)
      #expect(upload.headers["x-status"] == "206")
      #expect(upload.headers["x-content-range"] == "bytes 2-5/10")
      #expect(upload.headers["content-length"] == "4")
      #expect(upload.headers["content-type"] == "video/webm")
      #expect(upload.body == "2345")
      #expect(server.requests.count { $0.line.contains("uploads") } == 1)
      await uploader.stop()
      await uploader.answer(RequestEvent(uploadID: "up2", path: "archives", range: nil, maximumBytes: 100))
      await uploader.finish()
      #expect(server.requests.count { $0.line.contains("uploads") } == 1)
    }
  }

  @Test func aLoginThatIsUnderWayEndsWithTheClient() async throws {
    try await withServer { _, _ in
      .events("")
    } _: { client, server in
      let request = Task { try await client.send(.ringing, sessionID: "s-1") }
      try await eventually { !server.requests.isEmpty }
      await client.credentials.shutdown()
      await #expect(throws: HubClientError.self) { try await request.value }
      await #expect(throws: HubClientError.self) { try await client.send(.ringing, sessionID: "s-1") }
      #expect(server.requests.count == 1)
    }
  }

  /// A camera that gives no picture until it is told to.
  private actor SlowCamera: SnapshotProviding {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false

    nonisolated var cameras: [CameraName] { [.main] }

    func snapshot(of camera: CameraName) async -> [UInt8]? {
      if !isOpen { await withCheckedContinuation { waiting.append($0) } }
      return [1]
    }

    func open() {
      isOpen = true
      for continuation in waiting { continuation.resume() }
      waiting = []
    }
  }

  private struct Recorder: RecordingControl {
    func setRecording(
      _ isWanted: Bool?, for requester: ContentRequester?
    ) async throws(RequestRefusal) -> RecordingState { RecordingState(isRecording: true) }
  }

  @Test func whoHasSomethingRecordedWaitsForNobodysDownloads() async throws {
    try await withServer { request, _ in
      request.line == "POST /v1/login" ? .json(Self.login) : .json("", status: 204)
    } _: { client, server in
      let camera = SlowCamera()
      let content = RequestedContent(
        archives: MemoryArchives(files: [:]), snapshots: camera, recording: Recorder())
      let uploader = ArchiveUploader(client: client, content: content)
      for number in 0..<10 {
        await uploader.answer(RequestEvent(uploadID: "s\(number)", path: "snapshot", range: nil, maximumBytes: 100))
      }
      await uploader.answer(RequestEvent(uploadID: "r", path: "recording/start", range: nil, maximumBytes: 100))
      try await eventually { !server.lines("POST /v1/uploads/r").isEmpty }
      await camera.open()
      await uploader.finish()
      #expect(server.requests.count { $0.line.contains("uploads/s") } == 8)
    }
  }
}
