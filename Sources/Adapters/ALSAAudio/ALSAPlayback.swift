internal import CALSA
internal import Glibc
public import MediaCore

/// A loudspeaker, 16 bits, interleaved, at the card's own ``rate``, with a short buffer; closed when the value ends.
///
/// Takes samples in the announced format, independent of the card's. Allocates only when made. After an error
/// that is thrown, discard it and create a new one. Use from one thread.
public struct ALSAPlayback: ~Copyable {
  /// 1 or 2.
  public let channels: Int
  /// Times that the card ran dry.
  public private(set) var underruns = 0

  private let stream: ALSAStream
  /// What the card takes, where it has to be converted.
  private let raw: UnsafeMutableRawBufferPointer

  public var device: String { stream.device }
  /// Hertz; 48,000 unless the card has not that.
  public var rate: Int { stream.rate }

  /// Periods in the card's buffer: 60 ms at most wait there.
  private static let periods = 6

  /// - Parameters:
  ///   - device: any ALSA name.
  ///   - channels: 1 or 2, independent of the card's.
  public init(device: String, channels: Int) throws(ALSAError) {
    let stream = try ALSAStream(device, SND_PCM_STREAM_PLAYBACK, channels: channels, periods: Self.periods)
    // Starts when 20 ms wait, or when the buffer is full if that is less.
    try stream.setSoftware(startThreshold: min(2 * stream.periodFrames, stream.bufferFrames))
    raw = .allocate(byteCount: stream.bufferFrames * stream.channels * stream.format.byteCount, alignment: 16)
    self.stream = stream
    self.channels = channels
  }

  deinit { raw.deallocate() }

  /// How long it may take no samples, and say that some wait, before it counts as hung.
  public var timeout: TimeSpan { stream.isServed ? .seconds(3) : .milliseconds(500) }

  /// How long a sample written now waits until it sounds.
  public var delay: TimeSpan {
    var frames: snd_pcm_sframes_t = 0
    guard snd_pcm_delay(stream.pcm, &frames) >= 0 else { return .zero }
    return stream.duration(of: frames)
  }

  /// Why it is to be given up, where ``delay`` does not get shorter although nothing is written.
  public var stuck: ALSAError { ALSAError("snd_pcm_delay", -ETIMEDOUT, device) }

  /// Writes interleaved samples, waiting for space; throws `ETIMEDOUT` when the card takes none for `timeout`, which should
  /// be no less than ``timeout``.
  public mutating func write(_ samples: Span<Int16>, timeout: TimeSpan) throws(ALSAError) {
    var written = 0
    var waited = TimeSpan.zero
    while written < samples.count {
      let result = writeOnce(samples.extracting(written..<samples.count))
      let code = Int32(clamping: result)
      switch code {
      case 0, -EAGAIN:
        guard waited <= timeout else { throw ALSAError("snd_pcm_writei", -ETIMEDOUT, device) }
        waited = try waited + waitForRoom(timeout)
      case _ where ALSAStream.isInterruption(code):
        guard waited <= timeout else { throw ALSAError("snd_pcm_writei", code, device) }
        waited = try waited + recover(from: code)
      default:
        try stream.check(code, "snd_pcm_writei")
        written += result * channels
        waited = .zero
      }
    }
  }

  /// Returns what counts as waited: all when no space came, else a little, for cards that say so and have none.
  private func waitForRoom(_ timeout: TimeSpan) throws(ALSAError) -> TimeSpan {
    guard try stream.wait(timeout: timeout) else { return timeout + .milliseconds(1) }
    restALittle()
    return .milliseconds(2)
  }

  private mutating func recover(from interruption: Int32) throws(ALSAError) -> TimeSpan {
    guard try stream.recover(from: interruption) == .suspended else {
      underruns += 1
      return .milliseconds(1)
    }
    restALittle()
    return .milliseconds(2)
  }

  private func writeOnce(_ samples: Span<Int16>) -> Int {
    if stream.format == .signed16, stream.channels == channels {
      return samples.withUnsafeBufferPointer {
        snd_pcm_writei(stream.pcm, $0.baseAddress, snd_pcm_uframes_t($0.count / channels))
      }
    }
    var bytes = raw.mutableBytes
    let frames = stream.format.encode(samples, channels: channels, into: &bytes, channels: stream.channels)
    return snd_pcm_writei(stream.pcm, raw.baseAddress, snd_pcm_uframes_t(frames))
  }

  /// Discards unplayed samples.
  public mutating func discard() throws(ALSAError) {
    try stream.check(snd_pcm_drop(stream.pcm), "snd_pcm_drop")
    try stream.prepare()
  }
}
