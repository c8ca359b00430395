import Foundation
import MediaCore
import RealtimeRuntime
import TestSupport
import Testing

@testable import MediaPipeline

/// Days of capture in virtual time: does sound stay where pictures are?
///
/// Pictures carry the monotonic instant of their capture, so a click in the room must come out at the place of its own.
@Suite struct AudioDriftScenario {
  /// Captures for so many seconds, as the audio thread does, and listens to what comes out.
  private func capture(
    seconds: Double, rate: Int = 48_000, faults: SimulatedMicrophone.Faults, seed: UInt64 = 1
  ) throws -> ClickListener {
    var microphone = SimulatedMicrophone(rate: rate, faults: faults, seed: seed)
    var listener = ClickListener()
    var timeline = try AudioTimeline(channels: 1)
    try timeline.setInputRate(rate)
    var samples = [Int16](repeating: 0, count: rate / 100)
    let end = microphone.time + seconds
    while microphone.time < end {
      switch microphone.next(into: &samples) {
      case .overrun: timeline.interrupt()
      case .samples(let stamp):
        timeline.append(samples.span, capturedAt: stamp) { listener.listen($0, at: $1) }
      case .unplugged(let until):
        timeline.interrupt()
        for step in stride(from: until - SimulatedMicrophone.unpluggedTime, to: until, by: 0.02) {
          let now = MonotonicInstant(nanoseconds: Int64(step * 1e9))
          timeline.addSilence(until: now) { listener.listen($0, at: $1) }
        }
        try timeline.setInputRate(rate)
      }
    }
    return listener
  }

  private func check(_ listener: ClickListener, seconds: Double, within limit: Double, heard share: Double) {
    #expect(listener.misplaced == 0)
    #expect(abs(listener.packets - Int(seconds * 50)) <= 5)
    #expect(Double(listener.heard) > seconds * share)
    #expect(listener.worst < limit, "worst \(listener.worst * 1e3) ms, last \(listener.last * 1e3) ms")
  }

  @Test(arguments: [-200.0, 200])
  func followsASteadyClock(error: Double) throws {
    let listener = try capture(seconds: 300, faults: .init(clockError: error, jitter: 0.000_2))
    check(listener, seconds: 300, within: 0.005, heard: 0.99)
    #expect(abs(listener.last) < 0.000_5)
  }

  @Test(arguments: [44_100, 16_000])
  func followsACardOfAnotherRate(rate: Int) throws {
    let listener = try capture(seconds: 120, rate: rate, faults: .init(clockError: -150, jitter: 0.001))
    check(listener, seconds: 120, within: 0.005, heard: 0.98)
  }

  /// Jitter of 4 ms, a swinging clock, 1 % overruns of 10 to 60 ms, and 3 s without a device every two minutes.
  @Test(arguments: [(-200.0, UInt64(1)), (200, 2)])
  func staysWithFramesThroughFaults(error: Double, seed: UInt64) throws {
    let faults = SimulatedMicrophone.Faults(
      clockError: error, swing: 50, swingPeriod: 300, jitter: 0.004, overruns: 0.01, unplugging: 120)
    let listener = try capture(seconds: 600, faults: faults, seed: seed)
    check(listener, seconds: 600, within: 0.02, heard: 0.85)
  }

  /// The same for a whole day, with a drop-out an hour; takes minutes, so it runs when asked for.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["LIVESESSIONS_LONG_TESTS"] == "1"), arguments: [-200.0, 200])
  func staysWithPicturesForADay(error: Double) throws {
    let faults = SimulatedMicrophone.Faults(
      clockError: error, swing: 50, swingPeriod: 7_200, jitter: 0.004, overruns: 0.01, unplugging: 3_600)
    let begin = MonotonicClock.now()
    let listener = try capture(seconds: 86_400, faults: faults)
    let took = (MonotonicClock.now() - begin).seconds
    print(
      "24 h at \(error) ppm: \(listener.packets) packets, \(listener.misplaced) misplaced, \(listener.heard) clicks heard,",
      "worst \(listener.worst * 1e3) ms, last \(listener.last * 1e3) ms, simulated in \(took) s")
    check(listener, seconds: 86_400, within: 0.02, heard: 0.85)
  }

  @Test func keepsATonePure() throws {
    var timeline = try AudioTimeline(channels: 1)
    var heard: [Int16] = []
    var samples = [Int16](repeating: 0, count: 480)
    // A clock 137 ppm fast samples a tone of 1 kHz.
    let interval = 1 / (48_000 * (1 + 137e-6))
    for period in 0..<9_000 {
      let time = 10 + Double(period * 480) * interval
      for index in 0..<480 { samples[index] = Int16(8_192 * sin(2 * .pi * 1_000 * (time + Double(index) * interval))) }
      let jitter = Double(period % 7 - 3) * 0.000_1
      timeline.append(samples.span, capturedAt: MonotonicInstant(nanoseconds: Int64((time + jitter) * 1e9))) {
        packet, _ in
        packet.withUnsafeBufferPointer { heard += $0 }
      }
    }
    // Steady from 60 s on. 20 ms show noise and steps; that the tone itself wanders by some ppm does not count there.
    let blocks = stride(from: 2_880_000, to: heard.count - 960, by: 960)
    let worst = blocks.map { purity(heard[$0..<($0 + 960)], frequency: 1_000) }.min()
    #expect(try #require(worst) > 60)
  }
}
