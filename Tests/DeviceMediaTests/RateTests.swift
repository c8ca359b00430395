import CongestionControl
import SystemSupport
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import RealtimeRuntime
import Signalling
import Testing

@testable import DeviceMedia

@Suite("Rates", .timeLimit(.minutes(1)))
struct RateTests {
  private let start = MonotonicInstant(nanoseconds: 1)

  private func rates() -> RateAdaptation {
    RateAdaptation(
      MediaPipelineConfiguration(cameras: [.testBars], microphone: .none), maximum: .kilobits(800))
  }

  @Test func `the encoder follows the lowest path, and the rest when that viewer has gone`() {
    var rates = rates()
    var orders = rates.take(
      estimate: .kilobits(2_000), of: "a", viewers: ["a", "b"], floor: nil, now: start)
    #expect(orders.videoBitrate == nil)
    #expect(orders.layers == ["a": 1, "b": 1])
    orders = rates.take(estimate: .kilobits(600), of: "b", viewers: ["a", "b"], floor: nil, now: start)
    #expect(orders == RateAdaptation.Orders(videoBitrate: .kilobits(570)))
    orders = rates.keep(["a"], viewers: ["a"], now: start)
    #expect(orders == RateAdaptation.Orders(videoBitrate: .kilobits(800)))
    #expect(rates.keep(["a"], viewers: ["a"], now: start) == RateAdaptation.Orders())
  }

  @Test func `what is recorded is encoded with the floor at least`() {
    var rates = rates()
    var orders = rates.take(
      estimate: .kilobits(90), of: "a", viewers: ["a"], floor: .kilobits(150), now: start)
    #expect(orders.videoBitrate == .kilobits(150))
    orders = rates.take(estimate: .kilobits(90), of: "a", viewers: ["a"], floor: nil, now: start)
    #expect(orders.videoBitrate.map { $0 < .kilobits(90) } == true)
  }

  @Test func `a session without pictures holds back nobody`() {
    var rates = rates()
    #expect(
      rates.take(estimate: .kilobits(50), of: "a", viewers: [], floor: nil, now: start) == RateAdaptation.Orders())
  }

  @Test func `sound prepares for the worst of the paths`() {
    var rates = rates()
    #expect(rates.take(soundLoss: 5, of: "a").expectedLoss == 5)
    #expect(rates.take(soundLoss: 3, of: "b").expectedLoss == nil)
    #expect(rates.keep(["b"], viewers: [], now: start).expectedLoss == 3)
    #expect(rates.keep([], viewers: [], now: start).expectedLoss == 0)
  }

  @Test func `estimates reach encoder and sessions, and are forgotten with the session`() async throws {
    let bench = try await MediaBench()
    try await bench.answer("a")
    try await bench.answer("b")
    bench.network.emit(estimate: 3_000, "a")
    bench.network.emit(estimate: 700, "b")
    bench.network.emit(soundLoss: 12, "b")
    #expect(await eventually { bench.pipeline.state.withLock { $0.expectedLosses } == [12] })
    let lowered = try #require(bench.pipeline.state.withLock { $0.videoBitrates.last })
    #expect(lowered < .kilobits(700))
    await bench.media.hangUp(sessionID: "b")
    #expect(bench.pipeline.state.withLock { $0.videoBitrates.last } == .kilobits(800))
    #expect(bench.pipeline.state.withLock { $0.expectedLosses } == [12, 0])
    #expect(bench.network.state.withLock { $0.layers["b"]?.count } == 1)
  }

  @Test func `the floor holds while pictures are recorded`() async throws {
    let bench = try await MediaBench()
    try await bench.answer("a")
    let (id, _) = try await bench.record()
    bench.network.emit(estimate: 60, "a")
    #expect(await eventually { bench.pipeline.state.withLock { $0.videoBitrates } == [.kilobits(150)] })
    await bench.media.stopArchive(archiveID: id, reason: .userInitiated)
    bench.network.emit(estimate: 61, "a")
    #expect(await eventually { bench.pipeline.state.withLock { $0.videoBitrates.last } == .kilobits(80) })
  }

  @Test func `a peer's wish for a key frame reaches the encoder`() async throws {
    let bench = try await MediaBench()
    try await bench.answer("a")
    bench.network.readings.update(SessionHandle("a"), initial: .init()) { $0.wantsKeyFrame = true }
    #expect(await eventually { bench.pipeline.state.withLock { $0.keyFrameRequests } == 1 })
  }
}
