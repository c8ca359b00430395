import Testing

@testable import MediaPipeline

struct SoundMixerTests {
  private func mix(_ sources: [[Int16]]) -> [Int16] {
    var mixer = SoundMixer(channels: 1)
    for source in sources { source.withUnsafeBufferPointer { mixer.add($0) } }
    var block = [Int16](repeating: -1, count: SoundMixer.frames)
    block.withUnsafeMutableBufferPointer { mixer.finish(into: $0) }
    return block
  }

  @Test func addsUpAndFillsWithSilence() {
    let block = mix([[1, -2, 300], [10, 20]])
    #expect(Array(block[..<4]) == [11, 18, 300, 0])
    #expect(block.count == 480 && block[4...].allSatisfy { $0 == 0 })
  }

  @Test func withoutSourcesIsSilent() { #expect(mix([]).allSatisfy { $0 == 0 }) }

  @Test(arguments: [Int16.max, Int16.min]) func neverExceedsFullScale(_ peak: Int16) {
    let block = mix([[Int16]](repeating: [Int16](repeating: peak, count: 480), count: 5))
    #expect(block.allSatisfy { abs(Int($0)) <= 29_205 && abs(Int($0)) > 29_000 })
  }

  @Test func turnsUpAgainAfterAPeak() {
    var limiter = Limiter()
    _ = limiter.limit(60_000)
    #expect(limiter.limit(10_000) < 5_000)
    for _ in 0..<9_600 { _ = limiter.limit(0) }
    #expect(limiter.limit(10_000) == 10_000)
  }
}
