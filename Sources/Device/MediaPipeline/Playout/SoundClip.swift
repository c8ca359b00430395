internal import Glibc
public import MediaCore
internal import MediaCodecs

/// Sound that is played from memory: mono at 48 kHz.
public struct SoundClip: Sendable {
  let samples: [Int16]

  /// The maximum length of a file; it takes 5.8 MB.
  public static let longest = TimeSpan.seconds(60)

  private static let maxFrames = Int(longest.milliseconds) * opusSampleRate / 1_000

  /// Reads a WAV or an Ogg Opus file, whatever its rate and channels. Blocks on the disk.
  public init(path: String) throws(SoundClipError) {
    do throws(WAVFileError) {
      samples =
        if let file = try Self.openOgg(path) {
          try Self.readOpus(file, path)
        } else {
          try Self.readWAV(path)
        }
    } catch {
      throw SoundClipError(description: error.description)
    }
  }

  private static func readWAV(_ path: String) throws(WAVFileError) -> [Int16] {
    var source = try WAVSource(path: path, channels: 1, repeats: false)
    guard source.frameCount <= UInt64(maxFrames) else { throw tooLong(path) }
    var samples = [Int16](repeating: 0, count: Int(source.frameCount))
    try samples.withUnsafeMutableBufferPointer { (buffer) throws(WAVFileError) in try source.fill(buffer) }
    return samples
  }

  /// The descriptor of an Ogg file; nil for any other, and for what is no regular file.
  private static func openOgg(_ path: String) throws(WAVFileError) -> CInt? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .last(path, "open") }
    var beginning: [UInt8] = [0, 0, 0, 0]
    // A pipe fails here.
    let count = pread(descriptor, &beginning, beginning.count, 0)
    if OpusFile.isOgg(beginning.prefix(max(0, count))) { return descriptor }
    close(descriptor)
    return nil
  }

  private static func readOpus(_ descriptor: CInt, _ path: String) throws(WAVFileError) -> [Int16] {
    do throws(OpusFileError) {
      var file = try OpusFile(descriptor: descriptor)
      var samples: [Int16] = []
      while samples.count <= maxFrames, try file.readMono(into: &samples) > 0 {}
      if samples.count <= maxFrames { return samples }
    } catch {
      throw WAVFileError(path: path, reason: error.description)
    }
    throw tooLong(path)
  }

  private static func tooLong(_ path: String) -> WAVFileError {
    WAVFileError(path: path, reason: "lasts longer than \(longest.milliseconds / 1_000) seconds; cut it")
  }

  private init(samples: [Int16]) { self.samples = samples }

  /// Two short tones, the second lower, that announce a call near the device.
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

  public init(description: String) { self.description = description }
}
