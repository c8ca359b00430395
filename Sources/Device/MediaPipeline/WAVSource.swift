internal import MediaCodecs
internal import MediaFiles

/// The sound of a WAV file at 48 kHz, in a loop without a gap, or once and then silence.
struct WAVSource: ~Copyable {
  private var file: WAVFile
  private var resampler: AudioResampler?
  private let channels: Int
  private let repeats: Bool
  /// What was read and not put into the resampler yet: frames `pending` of `input`.
  private let input: UnsafeMutableBufferPointer<Int16>
  private var pending = 0..<0

  private static let rate = 48_000
  private static let inputFrames = 960

  /// - Parameter channels: 1 or 2, whatever the file has.
  init(path: String, channels: Int, repeats: Bool) throws(WAVFileError) {
    let file = try WAVFile(path: path)
    resampler = try Self.makeResampler(for: file, channels: channels)
    self.file = file
    self.channels = channels
    self.repeats = repeats
    input = .allocate(capacity: Self.inputFrames * channels)
    input.initialize(repeating: 0)
  }

  deinit { input.deallocate() }

  private static func makeResampler(
    for file: borrowing WAVFile, channels: Int
  ) throws(WAVFileError) -> AudioResampler? {
    guard file.header.sampleRate != rate else { return nil }
    do throws(AudioResamplerError) {
      return try AudioResampler(
        channels: channels, inputRate: file.header.sampleRate, outputRate: rate, isCorrectable: false)
    } catch {
      throw WAVFileError(path: file.path, reason: error.description)
    }
  }

  /// How many frames the file gives, played once.
  var frameCount: UInt64 {
    let (frames, rate) = (file.header.frameCount, UInt64(file.header.sampleRate))
    return frames.multipliedFullWidth(by: UInt64(Self.rate)).high > 0 ? .max : frames * UInt64(Self.rate) / rate
  }

  /// What is in the file, for people.
  var description: String {
    let header = file.header
    let channels = header.channels == 1 ? "mono" : "\(header.channels) channels"
    return "\(file.path), \(header.sampleRate) Hz, \(channels), \(repeats ? "again and again" : "once")"
  }

  /// Fills all of `output` (interleaved, whole frames).
  mutating func fill(_ output: UnsafeMutableBufferPointer<Int16>) throws(WAVFileError) {
    var filled = 0
    while filled < output.count {
      if pending.isEmpty { try readOn() }
      filled += transfer(into: UnsafeMutableBufferPointer(rebasing: output[filled...])) * channels
    }
  }

  /// Moves frames from the input to the output; returns how many came out.
  private mutating func transfer(into output: UnsafeMutableBufferPointer<Int16>) -> Int {
    let waiting = UnsafeBufferPointer(
      rebasing: input[(pending.lowerBound * channels)..<(pending.upperBound * channels)])
    var space = output.mutableSpan
    if let progress = resampler?.process(waiting.span, into: &space) {
      pending = (pending.lowerBound + progress.taken)..<pending.upperBound
      return progress.made
    }
    let count = min(pending.count, output.count / channels)
    _ = output.update(fromContentsOf: waiting[..<(count * channels)])
    pending = (pending.lowerBound + count)..<pending.upperBound
    return count
  }

  /// Reads the next frames; from the beginning at the end, or silence from then on.
  private mutating func readOn() throws(WAVFileError) {
    var space = input.mutableSpan
    var count = try file.read(into: &space, channels: channels)
    if count == 0, repeats {
      file.rewind()
      count = try file.read(into: &space, channels: channels)
      guard count > 0 else { throw WAVFileError(path: file.path, reason: "the samples are gone: the file was cut") }
    }
    if count == 0 {
      input.update(repeating: 0)
      count = Self.inputFrames
    }
    pending = 0..<count
  }
}
