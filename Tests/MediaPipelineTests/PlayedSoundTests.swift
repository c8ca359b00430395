import MediaCore
import Testing

@testable import MediaPipeline

struct PlayedSoundTests {
  private static let start = MonotonicInstant(seconds: 1_000, nanoseconds: 123_456)

  private func packet(_ value: Int16) -> [Int16] { [Int16](repeating: value, count: 960) }

  private func read(_ played: PlayedSound, at start: MonotonicInstant, count: Int = 480) -> [Int16] {
    var samples = [Int16](repeating: -1, count: count)
    samples.withUnsafeMutableBufferPointer { played.read(into: $0, from: start) }
    return samples
  }

  @Test func isFoundByTheTimeItSounds() {
    let played = PlayedSound()
    played.write(packet(1).span, at: Self.start)
    played.write(packet(2).span, at: Self.start + .milliseconds(20))
    #expect(read(played, at: Self.start + .milliseconds(5)).allSatisfy { $0 == 1 })
    let both = read(played, at: Self.start + .milliseconds(15))
    #expect(both.prefix(240).allSatisfy { $0 == 1 } && both.suffix(240).allSatisfy { $0 == 2 })
  }

  @Test func isSilentWhereNothingIsKnown() {
    let played = PlayedSound()
    #expect(read(played, at: Self.start).allSatisfy { $0 == 0 })
    played.write(packet(1).span, at: Self.start)
    #expect(read(played, at: Self.start + .milliseconds(20)).allSatisfy { $0 == 0 })
    #expect(read(played, at: Self.start - .milliseconds(10)).allSatisfy { $0 == 0 })
    #expect(read(played, at: MonotonicInstant(nanoseconds: .min)).allSatisfy { $0 == 0 })
  }

  @Test func whatLiesBetweenTwoStretchesIsSilence() {
    let played = PlayedSound()
    for index in 0..<50 { played.write(packet(7).span, at: Self.start + .milliseconds(20) * Int64(index)) }
    played.write(packet(1).span, at: Self.start + .milliseconds(1_500))
    #expect(read(played, at: Self.start + .milliseconds(1_000), count: 24_000).allSatisfy { $0 == 0 })
    #expect(read(played, at: Self.start + .milliseconds(980), count: 960).allSatisfy { $0 == 7 })
    // A gap of hours is no more work than one of a second.
    played.write(packet(3).span, at: Self.start + .seconds(10_000))
    #expect(read(played, at: Self.start + .seconds(10_000) - .milliseconds(900), count: 43_200).allSatisfy { $0 == 0 })
    #expect(
      played.end.nanoseconds / 1_000_000 == (Self.start + .seconds(10_000) + .milliseconds(20)).nanoseconds / 1_000_000)
  }
}
