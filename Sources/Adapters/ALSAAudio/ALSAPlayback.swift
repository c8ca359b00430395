internal import CALSA
internal import Glibc
public import MediaCore

/// A loudspeaker at 48 kHz, 16 bits, interleaved, with a short buffer; closed when the value ends.
///
/// Allocates only when made. After an error that is thrown, end it and make a new one. Use from one thread.
public struct ALSAPlayback: ~Copyable {
  public let channels: Int
  /// Times that the card ran dry.
  public private(set) var underruns = 0

  private let stream: ALSAStream

  public var device: String { stream.device }

  /// Periods in the card's buffer: 60 ms at most wait there.
  private static let periods = 6

  /// - Parameter device: an ALSA name; `plughw:` and `default` convert rates and channels that the card lacks.
  public init(device: String, channels: Int) throws(ALSAError) {
    let stream = try ALSAStream(device, SND_PCM_STREAM_PLAYBACK, channels: channels, periods: Self.periods)
    // Starts when 20 ms wait, or when the buffer is full if that is less.
    try stream.setSoftware(startThreshold: min(2 * stream.periodFrames, stream.bufferFrames))
    self.stream = stream
    self.channels = channels
  }

  /// How long a sample written now waits until it sounds.
  public var delay: TimeSpan {
    var frames: snd_pcm_sframes_t = 0
    guard snd_pcm_delay(stream.pcm, &frames) >= 0 else { return .zero }
    return TimeSpan(nanoseconds: Int64(max(0, frames)) * 1_000_000_000 / Int64(ALSAStream.sampleRate))
  }

  /// Writes interleaved samples, waiting for room; throws `ETIMEDOUT` when the card takes none for `timeout`.
  public mutating func write(_ samples: Span<Int16>, timeout: TimeSpan) throws(ALSAError) {
    var written = 0
    while written < samples.count {
      let result = writeOnce(samples, from: written)
      switch result {
      case -Int(EAGAIN):
        guard try stream.wait(timeout: timeout) else { throw ALSAError("snd_pcm_wait", -ETIMEDOUT, device) }
      case _ where ALSAStream.isInterruption(Int32(clamping: result)):
        underruns += 1
        try stream.prepareAgain()
      default:
        try stream.check(Int32(clamping: result), "snd_pcm_writei")
        written += result * channels
      }
    }
  }

  private func writeOnce(_ samples: Span<Int16>, from start: Int) -> Int {
    samples.withUnsafeBufferPointer { samples in
      let rest = UnsafeBufferPointer(rebasing: samples[start...])
      return snd_pcm_writei(stream.pcm, rest.baseAddress, snd_pcm_uframes_t(rest.count / channels))
    }
  }

  /// Throws away what has not sounded yet.
  public mutating func discard() throws(ALSAError) {
    try stream.check(snd_pcm_drop(stream.pcm), "snd_pcm_drop")
    try stream.prepareAgain()
  }
}
