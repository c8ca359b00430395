import AudioProcessing
import Foundation
import MediaCore
import TestSupport

/// Sound that has speech's envelope and a spectrum that falls: syllables of noise with pauses, from a seed.
func babble(seconds: Double, seed: UInt64, level: Float = 0.06) -> [Float] {
  var generator = SeededGenerator(seed: seed)
  var low: Float = 0
  var envelope: Float = 0
  var wanted: Float = 0
  var samples = [Float](repeating: 0, count: Int(seconds * 48_000))
  for index in samples.indices {
    // A new syllable, or a pause, some seven times a second.
    if index % 6_857 == 0 {
      wanted = Float.random(in: 0...1, using: &generator) < 0.25 ? 0 : .random(in: 0.4...1.6, using: &generator)
    }
    envelope += (wanted - envelope) * 0.002
    low += 0.15 * (Float.random(in: -1...1, using: &generator) - low)
    samples[index] = 6 * level * envelope * low
  }
  return samples
}

/// A loudspeaker beside a microphone: a direct path and an exponentially decaying tail.
struct SyntheticRoom {
  /// Samples until the direct path.
  var delay: Int
  /// Each by its place after the direct path.
  private let reflections: [(place: Int, gain: Float)]

  init(delayMilliseconds: Int, seed: UInt64 = 7) {
    var generator = SeededGenerator(seed: seed)
    delay = delayMilliseconds * 48
    // 60 dB in 300 ms.
    reflections = (1...40).map { index in
      let place = index * 240 + Int.random(in: 0..<240, using: &generator)
      return (place, Float.random(in: -0.3...0.3, using: &generator) * Float(pow(10, -3 * Double(place) / 14_400)))
    }
  }

  func echo(of samples: [Float]) -> [Float] {
    samples.indices.map { index in
      var sum = at(index - delay, samples)
      for reflection in reflections { sum += reflection.gain * at(index - delay - reflection.place, samples) }
      return 0.6 * sum
    }
  }

  private func at(_ index: Int, _ samples: [Float]) -> Float { index < 0 ? 0 : samples[index] }
}

/// The value between samples, by a sinc under a squared cosine.
func sample(of samples: [Float], at place: Double) -> Float {
  let whole = Int(place)
  return ((whole - 7)...(whole + 8)).reduce(Float(0)) { sum, index in
    guard samples.indices.contains(index) else { return sum }
    let distance = place - Double(index)
    let sinc = distance == 0 ? 1 : sin(.pi * distance) / (.pi * distance)
    let window = cos(.pi * distance / 18)
    return sum + samples[index] * Float(sinc * window * window)
  }
}

func quantized(_ samples: [Float]) -> [Int16] { samples.map { Int16(max(-1, min(1, $0)) * 32_767) } }

func power(_ samples: some Sequence<Float>) -> Float {
  var (sum, count): (Float, Float) = (0, 0)
  for sample in samples { (sum, count) = (sum + sample * sample, count + 1) }
  return sum / max(count, 1)
}

func decibels(_ ratio: Float) -> Float { 10 * log10(max(ratio, 1e-12)) }

extension EchoController {
  /// Puts whole blocks through and returns them, as long as they were; what comes out is ``EchoController/latency`` late.
  mutating func clean(_ captured: [Float], played: [Float], toldMilliseconds: Int64 = 40) -> [Float] {
    let (near, far) = (quantized(captured), quantized(played))
    var result: [Float] = []
    var block = [Int16](repeating: 0, count: Self.blockFrames)
    for start in stride(from: 0, to: near.count - Self.blockFrames + 1, by: Self.blockFrames) {
      let place = start..<start + Self.blockFrames
      var output = block.mutableSpan
      process(
        captured: near.span.extracting(place), played: far.span.extracting(place),
        delay: .milliseconds(toldMilliseconds), into: &output)
      result += block.map { Float($0) / 32_767 }
    }
    return result
  }
}
