import Foundation
import HTTPConnections
import HubCore
import NIOCore
import NIOHTTP1
import OpenSSLCrypto
import SessionToken
import Signalling
import SystemSupport
import Testing

@testable import HubHTTP

@Suite(.timeLimit(.minutes(1)))
struct ArchiveProxyTests {
  /// An operator who asks and a device that answers its next request with `upload`.
  private func withParties(
    limits: HubLimits = HubLimits(),
    _ body: @Sendable (HubFixture, _ admin: Member, _ device: Member, EventReader) async throws -> Void
  ) async throws {
    try await HubFixture.run(limits: limits) { hub in
      let admin = try await hub.addPerson("admin", role: .operator)
      let device = try await hub.addDevice("door")
      try await hub.withEvents(of: device) { events in
        try await hub.publish(device, stream: events)
        try await body(hub, admin, device, events)
      }
    }
  }

  private func upload(
    _ hub: HubFixture, _ device: Member, _ event: RequestEvent, _ bytes: ByteBuffer,
    headers: [(String, String)] = [("Content-Type", "application/json")]
  ) async throws -> Reply {
    try await hub.send(.POST, "/v1/uploads/\(event.uploadID)", bytes: bytes, by: device, headers: headers)
  }

  @Test func listAndManifestComeAsTheDeviceSendsThem() async throws {
    try await withParties { hub, admin, device, events in
      for (path, asked) in [("", "archives"), ("/a1", "archives/a1")] {
        async let reply = hub.send(.GET, "/v1/users/\(device.id)/archives\(path)", by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        #expect(event.path == asked && event.range == nil && event.maximumBytes > 0)
        #expect(try await upload(hub, device, event, ByteBuffer(string: #"{"items":[]}"#)).status == 204)
        let got = try await reply
        #expect(got.status == 200 && got.text == #"{"items":[]}"#)
        #expect(got.headers.first(name: "Content-Type") == "application/json")
        #expect(got.headers.first(name: "Cache-Control") == "no-store")
      }
    }
  }

  @Test func aRangeOfAFileComesWhole() async throws {
    try await withParties { hub, admin, device, events in
      let part = ByteBuffer(bytes: (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
      async let reply = hub.send(
        .GET, "/v1/users/\(device.id)/archives/a1/s.webm", by: admin, headers: [("Range", "bytes=100-3000099")])
      let event = try await events.next(.request, as: RequestEvent.self)
      #expect(event.path == "archives/a1/s.webm" && event.range == "bytes=100-3000099")
      let headers = [
        ("Content-Type", "video/webm"), ("X-Status", "206"), ("X-Content-Range", "bytes 100-3000099/9000000"),
      ]
      #expect(try await upload(hub, device, event, part, headers: headers).status == 204)
      let got = try await reply
      #expect(got.status == 206 && got.body == part)
      #expect(got.headers.first(name: "Content-Range") == "bytes 100-3000099/9000000")
      #expect(got.headers.first(name: "Content-Length") == "3000000")
      #expect(got.headers.first(name: "Accept-Ranges") == "bytes")
      #expect(try await upload(hub, device, event, part, headers: headers).status == 404)
      #expect(try await hub.metric("archive_transfers") == 0)
    }
  }

  @Test func whatTheDeviceDoesNotHaveIsAProblem() async throws {
    try await withParties { hub, admin, device, events in
      async let missing = hub.send(.GET, "/v1/users/\(device.id)/archives/none", by: admin)
      let first = try await events.next(.request, as: RequestEvent.self)
      _ = try await upload(hub, device, first, ByteBuffer(), headers: [("X-Status", "404")])
      let reply = try await missing
      #expect(reply.status == 404 && reply.problem == "not-found")

      async let beyond = hub.send(
        .GET, "/v1/users/\(device.id)/archives/a/f.webm", by: admin, headers: [("Range", "bytes=9-")])
      let second = try await events.next(.request, as: RequestEvent.self)
      let headers = [("X-Status", "416"), ("X-Content-Range", "bytes */5")]
      _ = try await upload(hub, device, second, ByteBuffer(), headers: headers)
      let unsatisfiable = try await beyond
      #expect(unsatisfiable.status == 416 && unsatisfiable.headers.first(name: "Content-Range") == "bytes */5")
    }
  }

  @Test func onlyOperatorsAskAndOnlyForPlainNames() async throws {
    try await withParties { hub, admin, device, _ in
      let user = try await hub.addPerson("user")
      let refused = try await hub.send(.GET, "/v1/users/\(device.id)/archives", by: user)
      #expect(refused.status == 403)
      for path in ["..%2f..", ".hidden", "a/..%2fx", "a%00", "a/b%20c"] {
        let reply = try await hub.send(.GET, "/v1/users/\(device.id)/archives/\(path)", by: admin)
        #expect(reply.status == 400, "\(path)")
      }
      #expect(try await hub.send(.GET, "/v1/users/\(admin.id)/archives", by: admin).status == 404)
    }
  }

  @Test(arguments: ["lines=1-2", "bytes", "bytes=" + String(repeating: "1-2,", count: 20)])
  func rangesThatAreNotUnderstoodAreIgnored(range: String) async throws {
    try await withParties { hub, admin, device, events in
      async let reply = hub.send(
        .GET, "/v1/users/\(device.id)/archives/a/f.webm", by: admin, headers: [("Range", range)])
      let event = try await events.next(.request, as: RequestEvent.self)
      #expect(event.range == nil)
      _ = try await upload(hub, device, event, ByteBuffer(string: "all"), headers: [("Content-Type", "video/webm")])
      #expect(try await reply.status == 200)
    }
  }

  @Test func aClipIsAskedForInMillisecondsAndHasAName() async throws {
    try await withParties { hub, admin, device, events in
      let file = "/v1/users/\(device.id)/archives/a/yard.webm"
      for query in [
        "from=1", "to=1", "from=2&to=1", "from=0&to=901", "from=-1&to=1", "from=x&to=1", "from=0.0001&to=1",
      ] {
        #expect(try await hub.send(.GET, "\(file)?\(query)", by: admin).status == 400, "\(query)")
      }
      for (sent, shown) in [
        ("door_2026.webm", "attachment; filename=\"door_2026.webm\""), ("a\"b.webm", nil), (".b", nil),
      ] {
        async let reply = hub.send(.GET, "\(file)?from=1.5&to=20", by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        #expect(event.path == "archives/a/yard.webm/clip/1500-20000")
        let headers = [("Content-Type", "video/webm"), ("X-File-Name", sent)]
        _ = try await upload(hub, device, event, ByteBuffer(string: "clip"), headers: headers)
        #expect(try await reply.headers.first(name: "Content-Disposition") == shown)
      }
    }
  }

  @Test func aCookieReadsTheFilesOfItsArchiveAndNothingElse() async throws {
    try await withParties { hub, admin, device, events in
      let user = try await hub.addPerson("user")
      let archives = "/v1/users/\(device.id)/archives"
      #expect(try await hub.send(.POST, "\(archives)/a/view", by: user).status == 403)
      #expect(try await hub.send(.POST, "\(archives)/a/view").status == 401)
      let granted = try await hub.send(.POST, "\(archives)/a/view", by: admin)
      let cookie = try #require(granted.headers.first(name: "Set-Cookie"))
      #expect(
        granted.status == 204 && cookie.hasSuffix("; Max-Age=900; HttpOnly; SameSite=Strict")
          && !cookie.contains("Path"))
      let sent = [("Cookie", "other=1; " + cookie.prefix { $0 != ";" }), ("Range", "bytes=9-")]
      async let reply = hub.send(.GET, "\(archives)/a/f.webm", headers: sent)
      let event = try await events.next(.request, as: RequestEvent.self)
      // A player that pauses keeps no transfer.
      #expect(event.path == "archives/a/f.webm" && event.range == "bytes=9-2097160")
      _ = try await upload(hub, device, event, ByteBuffer(string: "part"), headers: [("Content-Type", "video/webm")])
      #expect(try await reply.status == 200)
      for (method, path) in [
        (.GET, "\(archives)/b/f.webm"), (.GET, "\(archives)/a"), (.GET, "\(archives)/ab/f.webm"),
        (.DELETE, "\(archives)/a/f.webm"),
        (.GET, "/v1/users"), (.POST, "\(archives)/a/view"),
      ] as [(HTTPMethod, String)] {
        #expect(try await hub.send(method, path, headers: sent).status != 200, "\(path)")
      }
      #expect(try await hub.send(.GET, "\(archives)/b/f.webm", headers: sent).status == 401)
    }
  }

  @Test func changesNameWhoAsks() async throws {
    try await withParties { hub, admin, device, events in
      let user = try await hub.addPerson("user")
      let archive = "/v1/users/\(device.id)/archives/a"
      #expect(try await hub.send(.DELETE, archive, by: user).status == 403)
      for body in [#"{}"#, #"{"isLocked":true,"name":"x"}"#, #"{"name":"\#(String(repeating: "x", count: 129))"}"#] {
        #expect(try await hub.send(.PATCH, archive, bytes: ByteBuffer(string: body), by: admin).status == 400)
      }
      let wishes = [
        (#"{"isLocked":true}"#, "lock"), (#"{"isLocked":false}"#, "unlock"), (#"{"name":"Tür"}"#, "name/54c3bc72"),
      ]
      for (body, asked) in wishes {
        async let reply = hub.send(.PATCH, archive, bytes: ByteBuffer(string: body), by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        #expect(event.path == "archives/a/change/\(asked)" && event.requester?.userID == admin.id)
        _ = try await upload(hub, device, event, ByteBuffer(string: "{}"))
        #expect(try await reply.status == 200)
      }
      async let refused = hub.send(.DELETE, archive, by: admin)
      let event = try await events.next(.request, as: RequestEvent.self)
      #expect(event.path == "archives/a/change/delete")
      _ = try await upload(hub, device, event, ByteBuffer(string: "it is locked"), headers: [("X-Status", "409")])
      let reply = try await refused
      #expect(reply.status == 409 && reply.text.contains("it is locked"))
    }
  }

  @Test func aPictureComesFromTheDeviceToTheOperatorAlone() async throws {
    try await withParties { hub, admin, device, events in
      let user = try await hub.addPerson("user")
      #expect(try await hub.send(.GET, "/v1/users/\(device.id)/snapshot", by: user).status == 403)
      async let reply = hub.send(.GET, "/v1/users/\(device.id)/snapshot", by: admin)
      let event = try await events.next(.request, as: RequestEvent.self)
      #expect(event.path == "snapshot" && event.maximumBytes == 8 << 20)
      let jpeg = jpeg(width: 640, height: 480)
      let headers = [("Content-Type", "image/jpeg"), ("X-Status", "200")]
      #expect(try await upload(hub, device, event, jpeg, headers: headers).status == 204)
      let got = try await reply
      #expect(got.status == 200 && got.body == jpeg)
      #expect(got.headers.first(name: "Content-Type") == "image/jpeg")
      #expect(got.headers.first(name: "Cache-Control") == "no-store")
    }
  }

  @Test func eachCameraIsAskedForByItsName() async throws {
    try await withParties { hub, admin, device, events in
      let user = try await hub.addPerson("user")
      let base = "/v1/users/\(device.id)"
      let image = jpeg(width: 320, height: 240)
      let asked = [
        ("cameras", "cameras", ByteBuffer(string: "{}")), ("snapshot/device", "snapshot", image),
        ("snapshot/yard", "snapshot/yard", image),
      ]
      for (query, path, body) in asked {
        #expect(try await hub.send(.GET, "\(base)/\(query)", by: user).status == 403)
        async let reply = hub.send(.GET, "\(base)/\(query)", by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        #expect(event.path == path)
        #expect(try await upload(hub, device, event, body).status == 204)
        #expect(try await reply.body == body)
      }
      for name in ["Yard", "-yard", "..%2fyard", "y%00", String(repeating: "y", count: 33)] {
        let reply = try await hub.send(.GET, "\(base)/snapshot/\(name)", by: admin)
        #expect(reply.status == 400 && reply.problem == "invalid-request")
      }
      let answers = [
        ("it has no camera of this name", "the device: it has no camera of this name"),
        ("", "the camera delivers no frame now"),
      ]
      for (words, detail) in answers {
        async let unknown = hub.send(.GET, "\(base)/snapshot/cellar", by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        _ = try await upload(hub, device, event, ByteBuffer(string: words), headers: [("X-Status", "404")])
        let refusal = try await unknown
        #expect(refusal.status == 404 && refusal.problem == "not-found" && refusal.detail == detail)
      }
    }
  }

  @Test(arguments: ["snapshot", "snapshot/yard", "events/20261124T195512Z-9f3c01ab/picture"])
  func noImageTakesMoreMemoryThanACamerasDoes(path: String) async throws {
    try await withParties { hub, admin, device, events in
      let good = jpeg(width: 1_920, height: 1_080)
      let answers: [(ByteBuffer, status: Int, problem: String?)] = [
        (good, 200, nil), (jpeg(width: 20_000, height: 20_000), 502, "device-faulty"),
        (jpeg(width: 640, height: 480, frame: 0xC2), 502, "device-faulty"),
        (ByteBuffer(string: "<svg/>"), 502, "device-faulty"), (ByteBuffer(), 502, "device-faulty"),
      ]
      for (image, status, problem) in answers {
        async let reply = hub.send(.GET, "/v1/users/\(device.id)/\(path)", by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        _ = try await upload(hub, device, event, image, headers: [("Content-Type", "text/html")])
        let got = try await reply
        #expect(got.status == status && got.problem == problem, "\(got.text)")
        guard status == 200 else { continue }
        #expect(got.body == image && got.headers.first(name: "Content-Type") == "image/jpeg")
      }
    }
  }

  @Test func aDeviceMayRefusePicturesAndSendNoLargeOnes() async throws {
    var limits = HubLimits()
    limits.snapshotMaximumBytes = 1_000
    try await withParties(limits: limits) { hub, admin, device, events in
      for (status, expected) in [("403", 403), ("404", 404)] {
        async let reply = hub.send(.GET, "/v1/users/\(device.id)/snapshot", by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        _ = try await upload(hub, device, event, ByteBuffer(), headers: [("X-Status", status)])
        #expect(try await reply.status == UInt(expected))
      }
      async let reply = hub.send(.GET, "/v1/users/\(device.id)/snapshot", by: admin)
      let event = try await events.next(.request, as: RequestEvent.self)
      let large = ByteBuffer(repeating: 0, count: 1_001)
      #expect(try await upload(hub, device, event, large).status == 400)
      #expect(try await reply.status == 504)
    }
  }

  @Test func eventsAndTheirPicturesComeFromTheDeviceToTheOperatorAlone() async throws {
    try await withParties { hub, admin, device, events in
      let user = try await hub.addPerson("user")
      let id = "20261124T195512Z-9f3c01ab"
      let span = "?from=1795478400000&before=1795564800000"
      let asked = [
        ("events\(span)", "events/1795478400000-1795564800000", Int64(1) << 20),
        (
          "events\(span)&after=1795478400005-\(id)",
          "events/1795478400000-1795564800000/after/1795478400005-\(id)", 1 << 20
        ),
        ("recordings\(span)", "recordings/1795478400000-1795564800000", 1 << 20),
      ]
      for (query, path, bytes) in asked {
        #expect(try await hub.send(.GET, "/v1/users/\(device.id)/\(query)", by: user).status == 403)
        async let reply = hub.send(.GET, "/v1/users/\(device.id)/\(query)", by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        #expect(event.path == path && event.maximumBytes == bytes)
        #expect(try await upload(hub, device, event, ByteBuffer(string: "{}")).status == 204)
        let got = try await reply
        #expect(got.status == 200 && got.text == "{}")
      }
      async let refused = hub.send(.GET, "/v1/users/\(device.id)/events?from=0&before=1", by: admin)
      let event = try await events.next(.request, as: RequestEvent.self)
      _ = try await upload(hub, device, event, ByteBuffer(), headers: [("X-Status", "403")])
      #expect(try await refused.problem == "not-allowed")
    }
  }

  @Test(arguments: [
    "", "?from=1", "?before=1", "?from=2&before=1", "?from=1&before=1", "?from=-1&before=1", "?from=a&before=b",
    "?from=0&before=1&after=", "?from=0&before=1&after=7", "?from=0&before=1&after=7-..%2fx",
    "?from=0&before=999999999999", "?from=0&before=99999999999999999999", "/x/picture", "/..%2f..%2fhome/picture",
  ])
  func eventsAreAskedForByGoodSpansAlone(query: String) async throws {
    try await withParties { hub, admin, device, _ in
      let reply = try await hub.send(.GET, "/v1/users/\(device.id)/events\(query)", by: admin)
      #expect(reply.status == 400 && reply.problem == "invalid-request")
    }
  }

  @Test func operatorsAloneHaveADeviceRecord() async throws {
    try await withParties { hub, admin, device, events in
      let user = try await hub.addPerson("user")
      let path = "/v1/users/\(device.id)/recording"
      let published = try await hub.send(.GET, "/.well-known/jwks.json")
      let keys = try SigningKeySet(json: Array(published.body.readableBytesView))
      func put(_ body: String, by member: Member) async throws -> Reply {
        try await hub.send(
          .PUT, path, bytes: ByteBuffer(string: body), by: member, headers: [("Content-Type", "application/json")])
      }
      #expect(try await put(#"{"isRecording":true}"#, by: user).status == 403)
      for body in ["", "{}", #"{"isRecording":1}"#] { #expect(try await put(body, by: admin).status == 400) }
      for (wanted, asked) in [(true, "recording/start"), (false, "recording/stop")] {
        async let reply = put(#"{"isRecording":\#(wanted)}"#, by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        #expect(event.path == asked)
        #expect(event.requester?.userID == admin.id && event.requester?.role == "operator")
        let token = try SessionToken(try #require(event.requester?.token))
        let claims = try token.verify(with: try #require(keys[token.keyID]), OpenSSLCrypto())
        #expect(claims.userID == admin.id && claims.sessionID == event.uploadID)
        _ = try await upload(hub, device, event, ByteBuffer(string: #"{"isRecording":\#(wanted)}"#))
        #expect(try await reply.text == #"{"isRecording":\#(wanted)}"#)
      }
      let answers = [
        ("409", "", "device-unable", "its status and its log say why"),
        ("409", "it has no\u{1B}[2J <room>", "device-unable", #"the device: it has no\u{1B}[2J <room>"#),
        ("403", "it will not", "not-allowed", "the device refuses: it will not"),
        ("403", String(repeating: "x", count: 513), "not-allowed", "this device shows nothing here"),
      ]
      for (status, words, problem, detail) in answers {
        async let reply = hub.send(.GET, path, by: admin)
        let event = try await events.next(.request, as: RequestEvent.self)
        #expect(event.path == "recording")
        _ = try await upload(hub, device, event, ByteBuffer(string: words), headers: [("X-Status", status)])
        let refusal = try await reply
        #expect(refusal.problem == problem)
        #expect(refusal.detail?.hasPrefix(detail) == true)
      }
    }
  }

  @Test func anotherDeviceCannotAnswer() async throws {
    try await withParties { hub, admin, device, events in
      let other = try await hub.addDevice("other")
      async let reply = hub.send(.GET, "/v1/users/\(device.id)/archives", by: admin)
      let event = try await events.next(.request, as: RequestEvent.self)
      #expect(try await upload(hub, other, event, ByteBuffer(string: "forged")).status == 404)
      _ = try await upload(hub, device, event, ByteBuffer(string: "genuine"))
      #expect(try await reply.text == "genuine")
    }
  }

  @Test func aSilentDeviceTimesOut() async throws {
    var limits = HubLimits()
    limits.archiveStartTimeout = .zero
    try await withParties(limits: limits) { hub, admin, device, _ in
      let reply = try await hub.send(.GET, "/v1/users/\(device.id)/archives", by: admin)
      #expect(reply.status == 504 && reply.problem == "device-timeout")
      #expect(try await hub.metric("archive_timeouts_total") == 1)
      #expect(try await hub.metric("archive_transfers") == 0)
    }
  }

  @Test func anUploadBeyondTheCapIsRefused() async throws {
    var limits = HubLimits()
    limits.archiveMaximumBytes = 1_000
    try await withParties(limits: limits) { hub, admin, device, events in
      async let reply = hub.send(.GET, "/v1/users/\(device.id)/archives/a/f.webm", by: admin)
      let event = try await events.next(.request, as: RequestEvent.self)
      #expect(event.maximumBytes == 1_000)
      #expect(try await upload(hub, device, event, ByteBuffer(repeating: 0, count: 1_001)).status == 400)
      #expect(try await reply.status == 504)
    }
  }

  /// The asker reads nothing: the device's bytes must not pile up in the hub, and when the asker goes the device's
  /// upload ends.
  @Test func aSlowAskerHoldsTheDeviceBackAndAnAbsentOneEndsTheUpload() async throws {
    try await withParties { hub, admin, device, events in
      let source = CountingBody(total: 256 << 20)
      let asking = Task {
        let response = try await hub.open(.GET, "/v1/users/\(device.id)/archives/a/f.webm", by: admin)
        var iterator = response.body.makeAsyncIterator()
        _ = try await iterator.next()
        try await hub.eventually { source.isStalled }
      }
      let event = try await events.next(.request, as: RequestEvent.self)
      let uploading = Task {
        try await hub.open(
          .POST, "/v1/uploads/\(event.uploadID)", body: .chunks(source, length: Int64(source.total)),
          by: device, headers: [("Content-Type", "video/webm")])
      }
      try await asking.value
      #expect(source.sent < 64 << 20)
      if case .success(let response) = await uploading.result { #expect(response.status == .gone) }
      #expect(source.sent < source.total)
      try await hub.eventually { try await hub.metric("archive_transfers") == 0 }
    }
  }
}

/// A body of zeros that counts what was taken of it.
private final class CountingBody: AsyncSequence, Sendable {
  struct AsyncIterator: AsyncIteratorProtocol {
    let body: CountingBody

    mutating func next() async throws -> ByteBuffer? { body.take() }
  }

  let total: Int
  private let state = Mutex((sent: 0, seen: 0, unchanged: 0))

  init(total: Int) { self.total = total }

  var sent: Int { state.withLock { $0.sent } }

  /// Whether nothing was taken during ten looks in a row.
  var isStalled: Bool {
    state.withLock { state in
      state.unchanged = state.sent == state.seen && state.sent > 0 ? state.unchanged + 1 : 0
      state.seen = state.sent
      return state.unchanged >= 10
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

  private func take() -> ByteBuffer? {
    state.withLock { state in
      guard state.sent < total else { return nil }
      state.sent += 65_536
      return ByteBuffer(repeating: 0, count: 65_536)
    }
  }
}

struct ChunkHandoffTests {
  private func chunk(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

  @Test func chunksPassInOrderAndTheEndIsSeen() async throws {
    let handoff = ChunkHandoff()
    async let received = {
      var all = ""
      while let chunk = try await handoff.next() { all += String(buffer: chunk) }
      return all
    }()
    for number in 0..<100 { try await handoff.send(chunk("\(number),")) }
    handoff.finish()
    #expect(try await received == (0..<100).map { "\($0)," }.joined())
  }

  @Test func theSenderWaitsUntilItsChunkIsTaken() async throws {
    let handoff = ChunkHandoff()
    let isSent = Mutex(false)
    let sending = Task {
      try await handoff.send(chunk("a"))
      isSent.withLock { $0 = true }
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(!isSent.withLock { $0 })
    #expect(try await handoff.next() == chunk("a"))
    try await sending.value
  }

  @Test func eitherSideLearnsThatTheOtherIsGone() async throws {
    let sending = ChunkHandoff()
    let sender = Task { try await sending.send(chunk("a")) }
    sending.abandon()
    await #expect(throws: TransferError.abandoned) { try await sender.value }
    let receiving = ChunkHandoff()
    let receiver = Task { try await receiving.next() }
    receiving.abandon()
    await #expect(throws: TransferError.abandoned) { try await receiver.value }
  }

  @Test func aCancelledTaskAbandons() async throws {
    let handoff = ChunkHandoff()
    let receiver = Task { try await handoff.next() }
    receiver.cancel()
    await #expect(throws: TransferError.abandoned) { try await receiver.value }
    await #expect(throws: TransferError.abandoned) { try await handoff.send(chunk("a")) }
  }

  @Test func abandoningAfterTheEndChangesNothing() async throws {
    let handoff = ChunkHandoff()
    handoff.finish()
    handoff.abandon()
    #expect(try await handoff.next() == nil)
  }
}

/// The head of an image behind metadata that holds another frame header, and some data.
private func jpeg(width: UInt16, height: UInt16, frame: UInt8 = 0xC0) -> ByteBuffer {
  var bytes = ByteBuffer(bytes: [0xFF, 0xD8, 0xFF, 0xE1, 0, 12, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1])
  bytes.writeBytes([0xFF, frame, 0, 11, 8])
  bytes.writeInteger(height)
  bytes.writeInteger(width)
  bytes.writeBytes([1, 1, 0x11, 0])
  bytes.writeRepeatingByte(0x55, count: 100_000)
  return bytes
}
