import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import RealtimeRuntime
import SDP
import Signalling
import Testing

@testable import DeviceMedia

@Suite("Sessions", .timeLimit(.minutes(1)))
struct SessionTests {
  @Test func `devices open with the first session and close after the last`() async throws {
    let bench = try await MediaBench()
    #expect(bench.pipeline.running.isEmpty)
    #expect(try await bench.answer("a", publish: [.audio]) == "answer a")
    #expect(bench.pipeline.running == [.audio])
    try await bench.answer("b", publish: [.audio, .video])
    #expect(bench.pipeline.running == [.audio, .video])
    await bench.media.hangUp(sessionID: "b")
    #expect(bench.pipeline.running == [.audio])
    await bench.media.hangUp(sessionID: "a")
    #expect(bench.pipeline.running.isEmpty)
    #expect(!bench.bus.hasConsumers)
    #expect(bench.network.state.withLock { $0.hungUp } == ["b", "a"])
  }

  @Test func `a device is opened only when the peer takes what it sends`() async throws {
    let bench = try await MediaBench()
    bench.network.state.withLock { $0.sends = [] }
    let request = PeerSessionRequest(
      sessionID: "a", offer: nil, publish: [.audio, .video], subscribe: [], mayTalk: false)
    #expect(try await bench.media.begin(request) == "offer a")
    #expect(bench.pipeline.running.isEmpty)
    bench.network.state.withLock { $0.sends = [.audio] }
    try await bench.media.accept(answer: "answer", sessionID: "a")
    #expect(bench.pipeline.running == [.audio])
  }

  @Test func `a negotiation that fails leaves nothing`() async throws {
    let bench = try await MediaBench()
    bench.network.state.withLock { $0.refuses = true }
    await #expect(throws: FakeNetwork.Refusal.self) { try await bench.answer() }
    #expect(bench.pipeline.running.isEmpty)
    #expect(!bench.bus.hasConsumers)
    #expect(bench.network.state.withLock { $0.hungUp } == ["a"])
    bench.network.state.withLock { $0.refuses = false }
    try await bench.answer()
    #expect(bench.pipeline.running == [.audio, .video])
  }

  @Test func `devices that cannot be opened end the negotiation`() async throws {
    let bench = try await MediaBench()
    bench.pipeline.state.withLock { $0.refusesStart = true }
    await #expect(throws: FakePipeline.Refusal.self) { try await bench.answer() }
    #expect(bench.network.state.withLock { $0.hungUp } == ["a"])
    #expect(!bench.bus.hasConsumers)
  }

  @Test func `a later offer is answered although devices cannot be opened`() async throws {
    let bench = try await MediaBench()
    try await bench.answer("a", publish: [.audio, .video])
    bench.network.state.withLock { $0.sends = [.audio] }
    bench.pipeline.state.withLock { $0.refusesStart = true }
    #expect(try await bench.media.renegotiate(sessionID: "a", offer: "offer") == "later answer a")
    #expect(await bench.events.contains(.notice(.captureRefused(reason: "Refusal()"))))
  }

  @Test func `two sessions of one id do not exist`() async throws {
    let bench = try await MediaBench()
    try await bench.answer()
    await #expect(throws: (any Error).self) { try await bench.answer() }
    #expect(bench.pipeline.running == [.audio, .video])
  }

  @Test func `who hangs up while the session is made opens no device`() async throws {
    let bench = try await MediaBench()
    let gate = Gate()
    bench.network.gate.withLock { $0 = gate }
    let answering = Task { try? await bench.answer() }
    #expect(await eventually { gate.visitCount == 1 })
    await bench.media.hangUp(sessionID: "a")
    gate.open()
    _ = await answering.value
    #expect(bench.pipeline.state.withLock { $0.openings } == 0)
    #expect(!bench.bus.hasConsumers)
    #expect(bench.network.state.withLock { $0.hungUp } == ["a"])
  }

  @Test func `a session that ends by itself is told once and lets go of devices`() async throws {
    let bench = try await MediaBench()
    try await bench.answer()
    bench.network.emit(.connected, "a")
    bench.network.emit(.ended(.consentExpired), "a")
    bench.network.emit(.ended(.closedByPeer), "a")
    #expect(await bench.settleNetwork())
    #expect(
      bench.events.steps.dropLast() == [
        .connected(sessionID: "a"), .ended(sessionID: "a", reason: .connectionLost),
      ])
    #expect(bench.pipeline.running.isEmpty)
    #expect(!bench.bus.hasConsumers)
  }

  @Test func `no event follows a hang-up`() async throws {
    let bench = try await MediaBench()
    try await bench.answer()
    await bench.media.hangUp(sessionID: "a")
    bench.network.emit(.connected, "a")
    bench.network.emit(.ended(.closed), "a")
    #expect(await bench.settleNetwork())
    #expect(bench.events.steps.count == 1)
  }

  @Test func `missing media are reported after the connection, and when that changes`() async throws {
    let bench = try await MediaBench()
    let refused = RefusedMedia(kind: .video, reason: .otherCodecs(["H264"]))
    let missing = MissingMedia(kind: .video, reason: .noCommonCodec, text: "video has H264, and VP8 is needed")
    bench.network.state.withLock { $0.missing = [refused] }
    try await bench.answer()
    bench.network.emit(.connected, "a")
    #expect(await bench.settleNetwork())
    #expect(
      bench.events.steps.dropLast() == [.connected(sessionID: "a"), .mediaMissing(sessionID: "a", [missing])])
    bench.network.state.withLock { $0.missing = [] }
    _ = try await bench.media.renegotiate(sessionID: "a", offer: "later")
    _ = try await bench.media.renegotiate(sessionID: "a", offer: "later")
    #expect(await bench.settleNetwork())
    #expect(bench.events.steps.count { $0 == .mediaMissing(sessionID: "a", []) } == 1)
  }

  @Test func `lines that were left out are reported for the log`() async throws {
    let bench = try await MediaBench()
    bench.network.state.withLock { $0.skippedLines = ["SDP line 3: malformed attribute extmap"] }
    try await bench.answer()
    #expect(await bench.settleNetwork())
    #expect(
      bench.events.steps.first == .linesSkipped(sessionID: "a", ["SDP line 3: malformed attribute extmap"]))
  }

  @Test func `candidates of a restart are reported after its offer`() async throws {
    let bench = try await MediaBench()
    try await bench.answer()
    bench.network.emit(.candidateGathered("before"), "a")
    bench.network.emit(.offerMade(sdp: "restart a"), "a")
    bench.network.emit(.candidateGathered("after"), "a")
    #expect(await bench.settleNetwork())
    #expect(
      bench.events.steps.dropLast() == [
        .localCandidates(sessionID: "a", candidates: ["before"]), .offerMade(sessionID: "a", sdp: "restart a"),
        .localCandidates(sessionID: "a", candidates: ["after"]),
      ])
  }

  @Test func `rates shown are those of the last seconds`() async throws {
    let bench = try await MediaBench()
    func carry(sent: UInt64, received: UInt64) {
      var statistics = PeerSessionStatistics()
      (statistics.bytesSent, statistics.bytesReceived) = (sent, received)
      bench.network.state.withLock { $0.statistics["a"] = statistics }
    }
    // The first sample is taken while the session is being made.
    try await bench.answer()
    #expect(await eventually { bench.clock.sleeperCount == 1 })
    carry(sent: 1_000, received: 500)
    bench.clock.advance(by: .seconds(2))
    #expect(await eventually { bench.clock.sleeperCount == 1 })
    carry(sent: 201_000, received: 100_500)
    bench.clock.advance(by: .seconds(2))
    #expect(await eventually { bench.clock.sleeperCount == 1 })
    let sessions = await bench.media.status().sessions
    #expect(sessions.map(\.sendBitrate) == [800_000])
    #expect(sessions.map(\.receiveBitrate) == [400_000])
    await bench.media.hangUp(sessionID: "a")
    #expect(await eventually { bench.clock.sleeperCount == 0 })
    #expect(await bench.media.status().sessions.isEmpty)
  }

  @Test func `shutting down ends sessions, devices and events`() async throws {
    let bench = try await MediaBench()
    try await bench.answer()
    await bench.media.shutDown()
    #expect(bench.pipeline.running.isEmpty)
    #expect(bench.network.state.withLock { $0.isStopped })
    #expect(bench.disk.retention.log.withLock { $0 } == ["stop"])
    #expect(await bench.events.end())
  }
}
