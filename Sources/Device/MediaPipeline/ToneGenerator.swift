internal import Glibc

/// A sine of whole-number frequency whose phase is computed from the sample's number, so that it never drifts.
struct ToneGenerator {
  private let frequency: Int
  private let amplitude: Double
  private var position = 0

  private static let sampleRate = 48_000

  /// - Parameters:
  ///   - frequency: hertz.
  ///   - level: peak in relation to full scale; a quarter is −12 dBFS.
  init(frequency: Int, level: Double = 0.25) {
    self.frequency = frequency
    amplitude = level * Double(Int16.max)
  }

  /// Fills the front of interleaved samples, the same in each channel; all of them unless `frames` says how many.
  mutating func fill(_ samples: inout MutableSpan<Int16>, channels: Int, frames: Int? = nil) {
    for frame in 0..<(frames ?? samples.count / channels) {
      let phase = 2 * Double.pi * Double(frequency * position % Self.sampleRate) / Double(Self.sampleRate)
      let value = Int16((amplitude * sin(phase)).rounded())
      for channel in 0..<channels { samples[frame * channels + channel] = value }
      position = (position + 1) % Self.sampleRate
    }
  }
}
