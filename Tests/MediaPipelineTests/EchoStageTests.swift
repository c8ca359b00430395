import AudioProcessing
import MediaCore
import Testing

@testable import MediaPipeline

/// The stage between microphone and encoder, with a loudspeaker whose sound comes back 30 ms later at a quarter of its
/// strength, and reflected by a wall.
struct EchoStageTests {
  private static let start = MonotonicInstant(seconds: 1_000, nanoseconds: 0)

  /// Noise of a seeded generator.
  private func noise(_ count: Int) -> [Int16] {
    var state: UInt64 = 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int16(truncatingIfNeeded: Int64(bitPattern: state) >> 50)
    }
  }

  private func power(_ samples: ArraySlice<Int16>) -> Double {
    samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
  }

  /// - Parameter stage: takes the packets of `captured`.
  private func run(
    _ stage: inout EchoStage, _ captured: [Int16], prepare: (Int) -> Void = { _ in },
    isCaptured: (Int) -> Bool = { _ in true }
  ) -> (samples: [Int16], starts: [MonotonicInstant]) {
    var samples: [Int16] = []
    var starts: [MonotonicInstant] = []
    for index in 0..<(captured.count / 960) {
      prepare(index)
      let packet = Array(captured[(index * 960)..<((index + 1) * 960)])
      let time = Self.start + .milliseconds(20) * Int64(index)
      stage.process(packet.span, at: time, isCaptured: isCaptured(index)) { cleaned, start in
        for sample in cleaned.indices { samples.append(cleaned[sample]) }
        starts.append(start)
      }
    }
    return (samples, starts)
  }

  @Test func passesSoundAsItIsWhileNothingPlays() {
    var stage = EchoStage(PlayedSound(), channels: 1, settings: EchoControlSettings())
    let captured = noise(9_600)
    let (samples, starts) = run(&stage, captured)
    #expect(samples.prefix(480).allSatisfy { $0 == 0 })
    #expect(Array(samples.dropFirst(480)) == Array(captured.dropLast(480)))
    #expect(starts.first == Self.start - .milliseconds(10))
    let statistics = stage.statistics
    #expect(statistics == nil)
  }

  private func echo(of far: [Int16]) -> [Int16] {
    far.indices.map { index in
      (index >= 1_440 ? far[index - 1_440] / 4 : 0) + (index >= 2_400 ? far[index - 2_400] / 10 : 0)
    }
  }

  @Test func silenceInPlaceOfAMicrophoneTeachesNothing() {
    let played = PlayedSound()
    var stage = EchoStage(played, channels: 1, settings: EchoControlSettings())
    let far = noise(48_000 * 7)
    let unplugged = 48_000 * 4..<48_000 * 6
    var captured = echo(of: far)
    captured.replaceSubrange(unplugged, with: repeatElement(0, count: unplugged.count))
    let (samples, starts) = run(
      &stage, captured,
      prepare: { index in
        let packet = Array(far[(index * 960)..<((index + 1) * 960)])
        played.write(packet.span, at: Self.start + .milliseconds(20) * Int64(index))
      }, isCaptured: { !unplugged.contains($0 * 960) })
    let steps = zip(starts, starts.dropFirst()).map { $1 - $0 }
    #expect(Set(steps) == [.milliseconds(20)])
    let back = (unplugged.upperBound + 9_600)...
    #expect(power(captured[back]) > 100 * power(samples[back]))
  }

  @Test func takesOutTheEcho() throws {
    let played = PlayedSound()
    var stage = EchoStage(played, channels: 1, settings: EchoControlSettings())
    let far = noise(48_000 * 6)
    let captured = echo(of: far)
    let (samples, _) = run(&stage, captured) { index in
      let packet = Array(far[(index * 960)..<((index + 1) * 960)])
      played.write(packet.span, at: Self.start + .milliseconds(20) * Int64(index))
    }
    let reduction = power(captured[(48_000 * 3)...]) / max(power(samples[(48_000 * 3)...]), 1e-9)
    #expect(reduction > 1_000)
    let statistics = stage.statistics
    #expect(try #require(statistics).isConverged)
  }
}
