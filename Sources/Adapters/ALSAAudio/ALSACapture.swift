internal import CALSA
internal import Glibc
public import MediaCore

/// How a read from a sound device ended.
public enum AudioReadOutcome: Sendable, Hashable {
  /// How many frames (samples of each channel) were read; the first was captured at `timestamp`.
  case samples(count: Int, timestamp: MonotonicInstant)
  case timedOut
  /// Audio was lost by a late read or a system suspend; capture restarts.
  case overrun
}

/// A microphone, 16 bits, interleaved, at the card's own ``rate``; capturing from `init` on, closed when the value ends.
///
/// Samples have the requested format, independent of the card's. Allocates only when made. After an error
/// that is thrown, discard it and create a new one. Use from one thread.
public struct ALSACapture: ~Copyable {
  /// 1 or 2.
  public let channels: Int
  /// How often audio was lost by a late read.
  public private(set) var overruns = 0

  private let stream: ALSAStream
  private let status: OpaquePointer
  /// What the card delivers, where it has to be converted.
  private let raw: UnsafeMutableRawBufferPointer

  public var device: String { stream.device }
  /// Hertz; 48,000 unless the card has not that.
  public var rate: Int { stream.rate }
  /// Frames that come at once; 10 ms unless the card wants another number.
  public var periodFrames: Int { stream.periodFrames }
  /// What the card delivers, for people.
  public var description: String {
    "\(rate) Hz, \(stream.channels == 1 ? "mono" : "\(stream.channels) channels"), \(stream.format.title), periods of "
      + "\(periodFrames)"
  }

  /// Periods in the card's buffer: 200 ms, so that a stalled reader loses nothing for long.
  private static let periods = 20
  /// A stamp this far from now is on another clock, or broken.
  private static let farthestStamp = TimeSpan.seconds(1)

  /// - Parameters:
  ///   - device: any ALSA name.
  ///   - channels: 1 or 2, independent of the card's.
  public init(device: String, channels: Int) throws(ALSAError) {
    let stream = try ALSAStream(device, SND_PCM_STREAM_CAPTURE, channels: channels, periods: Self.periods)
    try stream.setSoftware(startThreshold: 1)
    try stream.check(snd_pcm_start(stream.pcm), "snd_pcm_start")
    var status: OpaquePointer?
    try stream.check(snd_pcm_status_malloc(&status), "snd_pcm_status_malloc")
    self.status = status!
    raw = .allocate(byteCount: stream.bufferFrames * stream.channels * stream.format.byteCount, alignment: 16)
    self.channels = channels
    self.stream = stream
  }

  deinit {
    snd_pcm_status_free(status)
    raw.deallocate()
  }

  /// Waits for a period and reads the available samples, as far as they fit into `output`.
  public mutating func read(
    into output: inout MutableSpan<Int16>, timeout: TimeSpan
  ) throws(ALSAError) -> AudioReadOutcome {
    guard try stream.wait(timeout: timeout) else { return .timedOut }
    let timestamp = firstSampleTime()
    let result = fetch(into: &output)
    let code = Int32(clamping: result)
    if ALSAStream.isInterruption(code) { return try recover(from: code) }
    if result == 0 || result == -Int(EAGAIN) {
      restALittle()
      return .timedOut
    }
    try stream.check(code, "snd_pcm_readi")
    return .samples(count: result, timestamp: timestamp)
  }

  /// Reads frames as they have to be, converting them if need be; returns ALSA's result.
  private func fetch(into output: inout MutableSpan<Int16>) -> Int {
    let wanted = output.count / channels
    if stream.format == .signed16, stream.channels == channels {
      return output.withUnsafeMutableBufferPointer {
        snd_pcm_readi(stream.pcm, $0.baseAddress, snd_pcm_uframes_t(wanted))
      }
    }
    let frameBytes = stream.channels * stream.format.byteCount
    let result = snd_pcm_readi(
      stream.pcm, raw.baseAddress, snd_pcm_uframes_t(min(wanted, raw.count / frameBytes)))
    guard result > 0 else { return result }
    let bytes = UnsafeRawBufferPointer(rebasing: raw[..<(result * frameBytes)])
    return stream.format.decode(bytes.bytes, channels: stream.channels, into: &output, channels: channels)
  }

  private mutating func recover(from interruption: Int32) throws(ALSAError) -> AudioReadOutcome {
    switch try stream.recover(from: interruption) {
    case .prepared: try stream.check(snd_pcm_start(stream.pcm), "snd_pcm_start")
    case .resumed: break
    case .suspended:
      restALittle()
      return .timedOut
    }
    overruns += 1
    return .overrun
  }

  /// The card's own timestamp less the unread samples; the current time if it has none.
  ///
  /// Not less the reported delay: sound servers estimate that, and err by milliseconds that change from second to
  /// second.
  private func firstSampleTime() -> MonotonicInstant {
    var stamp = timespec()
    var held = 0
    if snd_pcm_status(stream.pcm, status) >= 0 {
      snd_pcm_status_get_htstamp(status, &stamp)
      held = Int(clamping: snd_pcm_status_get_avail(status))
    }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Self.believable(Self.instant(stamp), now: Self.instant(now)) - stream.duration(of: held)
  }

  static func believable(_ stamp: MonotonicInstant, now: MonotonicInstant) -> MonotonicInstant {
    (.zero...farthestStamp).contains(now - stamp) ? stamp : now
  }

  private static func instant(_ time: timespec) -> MonotonicInstant {
    MonotonicInstant(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}

extension PCMFormat {
  /// ALSA's name of it.
  var title: String {
    switch self {
    case .signed16: "S16_LE"
    case .signed24: "S24_3LE"
    case .signed24In32: "S24_LE"
    case .signed32: "S32_LE"
    case .float32: "FLOAT_LE"
    }
  }
}
