import MediaCodecs
import Foundation
import TestSupport
import Testing

/// A sine sampled at `rate`, interleaved.
private func sine(_ frequency: Double, rate: Int, frames: Int, channels: Int = 1) -> [Int16] {
  (0..<frames * channels).map { Int16(8_192 * sin(2 * .pi * frequency * Double($0 / channels) / Double(rate))) }
}

/// Puts samples through in pieces of 10 ms, as a card delivers them.
private func resample(
  _ input: [Int16], with resampler: inout AudioResampler, each: (Int, inout AudioResampler) -> Void = { _, _ in }
) -> [Int16] {
  var output: [Int16] = []
  var room = [Int16](repeating: 0, count: 8_192)
  let piece = resampler.inputRate / 100 * resampler.channels
  for (index, start) in stride(from: 0, to: input.count, by: piece).enumerated() {
    each(index, &resampler)
    var span = room.mutableSpan
    let slice = Array(input[start..<min(start + piece, input.count)])
    let progress = resampler.process(slice.span, into: &span)
    #expect(progress.taken * resampler.channels == slice.count)
    output += room[..<(progress.made * resampler.channels)]
  }
  return output
}

@Suite struct AudioResamplerTests {
  @Test(arguments: [8_000, 16_000, 44_100, 48_000, 96_000, 192_000])
  func keepsLengthAndTone(rate: Int) throws {
    var resampler = try AudioResampler(channels: 1, inputRate: rate, outputRate: 48_000)
    let output = resample(sine(1_000, rate: rate, frames: rate * 2), with: &resampler)
    // 15 ppm of grain, and what the filter holds back.
    #expect(abs(output.count - 96_000) < 160)
    #expect(purity(output[9_600..<10_560], frequency: 1_000) > 60)
  }

  @Test(arguments: [8_000, 44_100, 96_000])
  func isExactWithoutCorrections(rate: Int) throws {
    var resampler = try AudioResampler(channels: 1, inputRate: rate, outputRate: 48_000, isCorrectable: false)
    let output = resample(sine(1_000, rate: rate, frames: rate * 2), with: &resampler)
    #expect(Double(output.count) + resampler.pendingFrames == 96_000)
    #expect(purity(output[9_600..<57_600], frequency: 1_000) > 75)
  }

  @Test func makesMoreOrLessBySoManyPartsPerMillion() throws {
    for correction in [-1_000.0, -200, 0, 200, 1_000, 5_000] {
      var resampler = try AudioResampler(channels: 1, inputRate: 48_000, outputRate: 48_000)
      resampler.setCorrection(partsPerMillion: correction)
      let count = resample([Int16](repeating: 0, count: 480_000), with: &resampler).count
      let made = Double(count) + resampler.pendingFrames
      let expected = 480_000 * (1 + min(correction, AudioResampler.maximumCorrection) * 1e-6)
      #expect(abs(made - expected) < 480_000 * 17e-6, "\(correction) ppm: \(made)")
    }
  }

  /// A click that goes in at a known place comes out where the bookkeeping says, whatever the ratio did before.
  @Test func tellsExactlyWhereItIs() throws {
    var resampler = try AudioResampler(channels: 1, inputRate: 48_000, outputRate: 48_000)
    var made = 0
    var expected = 0.0
    var input = [Int16](repeating: 0, count: 480)
    var output = [Int16](repeating: 0, count: 600)
    var heard: [(offset: Int, value: Int16)] = []
    for piece in 0..<2_000 {
      resampler.setCorrection(partsPerMillion: Double(piece % 41 - 20) * 50)
      if piece == 1_900 { expected = Double(made) + resampler.pendingFrames + 100 }
      input[100] = piece == 1_900 ? 20_000 : 0
      var span = output.mutableSpan
      let progress = resampler.process(input.span, into: &span)
      if piece >= 1_900 { heard += (0..<progress.made).map { (made + $0, output[$0]) } }
      made += progress.made
    }
    let peak = try #require(heard.max { abs(Int($0.value)) < abs(Int($1.value)) })
    #expect(abs(Double(peak.offset) - expected) < 0.6)
  }

  @Test func keepsAToneCleanWhileTheRatioMoves() throws {
    var resampler = try AudioResampler(channels: 1, inputRate: 48_000, outputRate: 48_000)
    let output = resample(sine(1_000, rate: 48_000, frames: 480_000), with: &resampler) { index, resampler in
      if index % 50 == 0 { resampler.setCorrection(partsPerMillion: index % 100 == 0 ? 20 : -20) }
    }
    // Over 20 ms the tone's own shift does not count.
    let worst = stride(from: 9_600, to: 470_000, by: 960).map { purity(output[$0..<($0 + 960)], frequency: 1_000) }
      .min()
    #expect(try #require(worst) > 60)
  }

  @Test func keepsChannelsApart() throws {
    var resampler = try AudioResampler(channels: 2, inputRate: 44_100, outputRate: 48_000)
    let input = sine(440, rate: 44_100, frames: 44_100, channels: 2).enumerated().map { $0 % 2 == 0 ? $1 : 0 }
    let output = resample(input, with: &resampler)
    #expect(stride(from: 1, to: output.count, by: 2).allSatisfy { output[$0] == 0 })
    #expect(stride(from: 0, to: output.count, by: 2).contains { output[$0] > 8_000 })
  }

  @Test func beginsAnewAfterAReset() throws {
    var resampler = try AudioResampler(channels: 1, inputRate: 48_000, outputRate: 48_000)
    _ = resample([Int16](repeating: 9_000, count: 4_800), with: &resampler)
    resampler.reset()
    #expect(resampler.pendingFrames == 0)
    #expect(resample([Int16](repeating: 0, count: 4_800), with: &resampler).allSatisfy { $0 == 0 })
  }

  @Test func takesOnlyWhatFits() throws {
    var resampler = try AudioResampler(channels: 1, inputRate: 48_000, outputRate: 48_000)
    var output = [Int16](repeating: 0, count: 100)
    var span = output.mutableSpan
    let progress = resampler.process([Int16](repeating: 0, count: 480).span, into: &span)
    #expect(progress.made == 100)
    #expect((100..<480).contains(progress.taken))
  }
}
