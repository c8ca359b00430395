import Foundation
import MediaCore
import TestSupport

/// A sound card that samples a room by a clock of its own, which is wrong, and loses sound now and then.
///
/// Times are seconds of true (monotonic) time. In the room a click of a third of a millisecond sounds each second.
struct SimulatedMicrophone {
  enum Event {
    /// Samples, the first of which was captured at `stamp`, or about then.
    case samples(stamp: MonotonicInstant)
    case overrun
    /// The device is gone until this time.
    case unplugged(until: Double)
  }

  struct Faults {
    /// Parts per million by which the clock is fast, and by how much that swings.
    var clockError = 0.0
    var swing = 0.0
    var swingPeriod = 3_600.0
    /// Stamps err by up to so many seconds either way.
    var jitter = 0.0
    /// Of all periods, how many are followed by an overrun.
    var overruns = 0.0
    /// Seconds from one unplugging to the next.
    var unplugging = Double.infinity
  }

  static let clickPhase = 0.25
  static let unpluggedTime = 3.0

  let rate: Int
  private let faults: Faults
  private var random: SeededGenerator
  private var nextUnplugging: Double
  /// When the next sample will be captured.
  private(set) var time: Double

  init(rate: Int = 48_000, faults: Faults, seed: UInt64 = 1, start: Double = 100) {
    self.rate = rate
    self.faults = faults
    random = SeededGenerator(seed: seed)
    time = start
    nextUnplugging = start + faults.unplugging / 2
  }

  /// The next period of 10 ms, or what happens instead; `samples` has room for it.
  mutating func next(into samples: inout [Int16]) -> Event {
    if time > nextUnplugging {
      nextUnplugging += faults.unplugging
      time += Self.unpluggedTime
      return .unplugged(until: time)
    }
    if faults.overruns > 0, Double.random(in: 0..<1, using: &random) < faults.overruns {
      time += Double.random(in: 0.010...0.060, using: &random)
      return .overrun
    }
    let swing = faults.swing * sin(2 * .pi * time / faults.swingPeriod)
    let interval = 1 / (Double(rate) * (1 + (faults.clockError + swing) * 1e-6))
    record(&samples, interval)
    let jitter = faults.jitter > 0 ? Double.random(in: -faults.jitter...faults.jitter, using: &random) : 0
    defer { time += interval * Double(samples.count) }
    return .samples(stamp: MonotonicInstant(nanoseconds: Int64((time + jitter) * 1e9)))
  }

  private func record(_ samples: inout [Int16], _ interval: Double) {
    let click = (time - Self.clickPhase).rounded() + Self.clickPhase
    let isNear = abs(click - time) < 0.02
    samples.withUnsafeMutableBufferPointer { samples in
      samples.update(repeating: 0)
      guard isNear else { return }
      for index in samples.indices {
        let distance = (time + Double(index) * interval - click) / 0.000_15
        if abs(distance) < 5 { samples[index] = Int16(20_000 * exp(-distance * distance / 2)) }
      }
    }
  }
}

/// Listens to packets for the room's clicks, and checks that packets follow each other exactly.
struct ClickListener {
  private(set) var packets = 0
  /// Packets that do not begin where the last one ended.
  private(set) var misplaced = 0
  /// How far, in seconds, the clicks that were heard lay from where they sounded.
  private(set) var worst = 0.0
  private(set) var last = 0.0
  private(set) var heard = 0
  private var expectedStart: MonotonicInstant?
  private var click = 0.0
  private var loudest: (value: Int16, time: Double) = (0, 0)

  mutating func listen(_ packet: Span<Int16>, at start: MonotonicInstant) {
    packets += 1
    if let expectedStart, start != expectedStart { misplaced += 1 }
    expectedStart = start + .milliseconds(20)
    let time = Double(start.nanoseconds) * 1e-9
    let near = (time - SimulatedMicrophone.clickPhase).rounded() + SimulatedMicrophone.clickPhase
    if near != click { evaluate(near) }
    guard abs(near - time) < 0.1 else { return }
    packet.withUnsafeBufferPointer { samples in
      for index in samples.indices where samples[index] > loudest.value {
        loudest = (samples[index], time + Double(index) / 48_000)
      }
    }
  }

  /// A click that fell into a gap is not heard, or only in part.
  private mutating func evaluate(_ next: Double) {
    if loudest.value > 15_000 {
      heard += 1
      last = loudest.time - click
      worst = max(worst, abs(last))
    }
    click = next
    loudest = (0, 0)
  }
}
