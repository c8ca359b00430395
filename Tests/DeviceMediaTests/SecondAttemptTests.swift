import SystemSupport
import MediaCore
import MediaPlaneAPI
import NetworkLoop
import PeerSession
import RealtimeRuntime
import SDP
import Signalling
import Testing

@testable import DeviceMedia

/// A session is hung up and begun again under the same id.
@Suite("Second attempts at a session", .timeLimit(.minutes(1)))
struct SecondAttemptTests {
  private let bench: MediaBench

  init() async throws { bench = try await MediaBench() }

  /// Hangs up while the first negotiation is pending, begins again with sound alone, and then lets the first one end.
  private func beginTwice(beforeFirstEnds: () -> Void = {}) async throws -> Result<String, any Error> {
    let gate = Gate()
    bench.network.gate.withLock { $0 = gate }
    let first = Task { try await bench.answer("a", publish: [.audio, .video]) }
    #expect(await eventually { gate.visitCount == 1 })
    await bench.media.hangUp(sessionID: "a")
    bench.network.gate.withLock { $0 = nil }
    bench.network.state.withLock { $0.missing = [] }
    try await bench.answer("a", publish: [.audio])
    beforeFirstEnds()
    gate.open()
    return await first.result
  }

  @Test func `what the first attempt agreed on is not the second one's`() async throws {
    let first = try await beginTwice {
      bench.network.state.withLock { $0.missing = [RefusedMedia(kind: .video, reason: .notBundled)] }
    }
    #expect(throws: NetworkLoopError.self) { try first.get() }
    #expect(bench.pipeline.running == [.audio])
    bench.network.emit(.connected, "a")
    #expect(await bench.settleNetwork())
    #expect(bench.events.steps.dropLast() == [.connected(sessionID: "a")])
  }

  @Test func `the first attempt's failure does not end the second`() async throws {
    let first = try await beginTwice { bench.network.state.withLock { $0.refuses = true } }
    #expect(throws: FakeNetwork.Refusal.self) { try first.get() }
    #expect(bench.network.state.withLock { $0.hungUp } == ["a"])
    #expect(bench.pipeline.running == [.audio])
    #expect(bench.bus.hasConsumers)
  }

  @Test func `events and readings of the first attempt do not reach the second`() async throws {
    try await bench.answer("a")
    let first = bench.network.latest("a")
    await bench.media.hangUp(sessionID: "a")
    try await bench.answer("a", publish: [.audio])
    #expect(bench.network.latest("a") != first)
    for step in [NetworkEvent.Step.connected, .candidateGathered("old"), .offerMade(sdp: "old"), .ended(.closedByPeer)]
    {
      bench.network.emit(step, "a", attempt: first)
    }
    bench.network.readings.update(first, initial: SessionReading()) { $0.soundLoss = 40 }
    #expect(await bench.settleNetwork())
    #expect(bench.events.steps.count == 1)
    #expect(bench.pipeline.running == [.audio])
    // Readings are taken in their order as well: the next one is the first that counts.
    bench.network.emit(soundLoss: 7, "a")
    #expect(await eventually { bench.pipeline.state.withLock { $0.expectedLosses } == [7] })
  }

  @Test func `figures of the first attempt are not shown as the second one's`() async throws {
    try await bench.answer("a")
    var statistics = PeerSessionStatistics()
    statistics.bytesSent = 1_000
    bench.network.state.withLock { $0.statistics["a"] = statistics }
    #expect(await bench.media.telemetry().sessions.map(\.bytesSent) == [1_000])
    let first = bench.network.latest("a")
    await bench.media.hangUp(sessionID: "a")
    try await bench.answer("a")
    bench.network.state.withLock { $0.latest["a"] = first }
    #expect(await bench.media.telemetry().sessions.isEmpty)
    #expect(await bench.media.status().sessions.isEmpty)
  }

  @Test func `what waits to be read of a session is withdrawn when it is hung up`() async throws {
    let bench = try await MediaBench(listens: false)
    try await bench.answer("a")
    try await bench.answer("b")
    for sessionID: SessionID in ["a", "b"] { bench.network.emit(.ended(.closedByPeer), sessionID) }
    #expect(await eventually { bench.pipeline.running.isEmpty })
    try await bench.answer("a")
    await bench.media.hangUp(sessionID: "a")
    bench.events.listen(to: bench.media)
    #expect(await bench.settleNetwork())
    #expect(bench.events.steps.dropLast() == [.ended(sessionID: "b", reason: .closed)])
  }
}
