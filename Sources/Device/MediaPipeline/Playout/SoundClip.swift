public import MediaCore
internal import OpusCodec

/// Sound that is played from memory: mono at 48 kHz.
public struct SoundClip: Sendable {
  let samples: [Int16]

  /// A file may be so long; it takes 5.8 MB.
  public static let longest = TimeSpan.seconds(60)

  /// Reads a WAV file, whatever its rate and channels. Blocks on the disk.
  ///
  /// - Throws: ``SoundClipError``.
  public init(path: String) throws(SoundClipError) {
    do throws(WAVFileError) {
      var source = try WAVSource(path: path, channels: 1, repeats: false)
      let (count, most) = (source.frameCount, UInt64(Self.longest.milliseconds) * UInt64(opusSampleRate) / 1_000)
      guard count <= most else {
        throw WAVFileError(path: path, reason: "lasts longer than \(Self.longest.milliseconds / 1_000) seconds; cut it")
      }
      var samples = [Int16](repeating: 0, count: Int(count))
      try samples.withUnsafeMutableBufferPointer { (buffer) throws(WAVFileError) in try source.fill(buffer) }
      self.samples = samples
    } catch {
      throw SoundClipError(description: error.description)
    }
  }

  private init(samples: [Int16]) { self.samples = samples }

  /// Two short tones, the second lower, that tell people near the device that a call begins.
  public static let callBegins = SoundClip(samples: tone(880) + tone(660))

  /// What a doorbell sounds like: two strokes, the second lower and longer.
  public static let ring = SoundClip(samples: tone(784) + tone(784) + tone(622) + tone(622) + tone(622))

  /// 0.2 s.
  private static func tone(_ frequency: Int) -> [Int16] {
    var generator = ToneGenerator(frequency: frequency, level: 0.2)
    var samples = [Int16](repeating: 0, count: 9_600)
    var space = samples.mutableSpan
    generator.fill(&space, channels: 1)
    return samples
  }
}

/// A sound file cannot be played; names it, and says why.
public struct SoundClipError: Error, Hashable, CustomStringConvertible {
  public let description: String
}
