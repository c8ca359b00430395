internal import CALSA
internal import Glibc
public import MediaCore

/// How a read from a sound device ended.
public enum AudioReadOutcome: Sendable, Hashable {
  /// So many samples of each channel were read; the first was captured at `timestamp`.
  case samples(count: Int, timestamp: MonotonicInstant)
  case timedOut
  /// Sound was lost because nobody read in time; capture goes on anew.
  case overrun
}

/// A microphone at 48 kHz, 16 bits, interleaved; capturing from `init` on, closed when the value ends.
///
/// Allocates only when made. After an error that is thrown, end it and make a new one. Use from one thread.
public struct ALSACapture: ~Copyable {
  public let channels: Int
  /// Times that sound was lost because nobody read in time.
  public private(set) var overruns = 0

  private let stream: ALSAStream
  private let status: OpaquePointer

  public var device: String { stream.device }
  /// Samples of each channel that come at once; 480 unless the card wants another number.
  public var periodFrames: Int { stream.periodFrames }

  /// Periods in the card's buffer: 200 ms, so that a stalled reader loses nothing for long.
  private static let periods = 20

  /// - Parameter device: an ALSA name; `plughw:` and `default` convert rates and channels that the card lacks.
  public init(device: String, channels: Int) throws(ALSAError) {
    let stream = try ALSAStream(device, SND_PCM_STREAM_CAPTURE, channels: channels, periods: Self.periods)
    try stream.setSoftware(startThreshold: 1)
    try stream.check(snd_pcm_start(stream.pcm), "snd_pcm_start")
    var status: OpaquePointer?
    try stream.check(snd_pcm_status_malloc(&status), "snd_pcm_status_malloc")
    self.status = status!
    self.stream = stream
    self.channels = channels
  }

  deinit { snd_pcm_status_free(status) }

  /// Waits for a period and reads what is there, as far as it fits into `output`.
  public mutating func read(
    into output: inout MutableSpan<Int16>, timeout: TimeSpan
  ) throws(ALSAError) -> AudioReadOutcome {
    guard try stream.wait(timeout: timeout) else { return .timedOut }
    let timestamp = firstSampleTime()
    let room = output.count / channels
    let result = output.withUnsafeMutableBufferPointer {
      snd_pcm_readi(stream.pcm, $0.baseAddress, snd_pcm_uframes_t(room))
    }
    if ALSAStream.isInterruption(Int32(clamping: result)) { return try recover() }
    if result == -Int(EAGAIN) { return .timedOut }
    try stream.check(Int32(clamping: result), "snd_pcm_readi")
    return .samples(count: result, timestamp: timestamp)
  }

  private mutating func recover() throws(ALSAError) -> AudioReadOutcome {
    overruns += 1
    try stream.prepareAgain()
    try stream.check(snd_pcm_start(stream.pcm), "snd_pcm_start")
    return .overrun
  }

  /// The card's own stamp less what it holds since then; the time now if it has none.
  private func firstSampleTime() -> MonotonicInstant {
    var stamp = timespec()
    var held: Int64 = 0
    if snd_pcm_status(stream.pcm, status) >= 0 {
      snd_pcm_status_get_htstamp(status, &stamp)
      held = Int64(max(0, snd_pcm_status_get_delay(status)))
    }
    if stamp.tv_sec == 0 && stamp.tv_nsec == 0 { clock_gettime(CLOCK_MONOTONIC, &stamp) }
    let nanoseconds = Int64(stamp.tv_sec) * 1_000_000_000 + Int64(stamp.tv_nsec)
    return MonotonicInstant(nanoseconds: nanoseconds - held * 1_000_000_000 / Int64(ALSAStream.sampleRate))
  }
}
