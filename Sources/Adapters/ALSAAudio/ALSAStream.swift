internal import CALSA
internal import Glibc
internal import MediaCore

/// An open PCM device, set to interleaved samples in its native format nearest to 16 bits at 48 kHz.
///
/// The device is never waited for but in ``wait(timeout:)``; only opening and closing can hang with a driver.
struct ALSAStream: ~Copyable {
  let device: String
  /// Set for as long as the value lives; nil only while a failing `init` ends it.
  private(set) var pcm: OpaquePointer?
  /// The card's own.
  private(set) var format = PCMFormat.signed16
  private(set) var channels = 1
  private(set) var rate = 48_000
  private(set) var periodFrames = 0
  private(set) var bufferFrames = 0

  /// Silences ALSA's errors on stderr, once a process.
  private static let silenced: Void = calsa_silence_errors()

  /// - Parameters:
  ///   - channels: 1 or 2; a card that lacks them opens with others.
  ///   - periods: of 10 ms, which the card's buffer should hold.
  init(_ device: String, _ direction: snd_pcm_stream_t, channels: Int, periods: Int) throws(ALSAError) {
    self.device = device
    pcm = try Self.open(device, direction)
    let parameters = try ALSAParameters(pcm, device: device)
    try parameters.setInterleaved()
    format = try parameters.chooseFormat()
    self.channels = try parameters.chooseChannels(channels)
    rate = try parameters.chooseRate()
    (periodFrames, bufferFrames) = try parameters.commit(periodFrames: rate / 100, periods: periods)
  }

  static func open(_ device: String, _ direction: snd_pcm_stream_t) throws(ALSAError) -> OpaquePointer {
    _ = silenced
    var pcm: OpaquePointer?
    let result = snd_pcm_open(&pcm, device, direction, SND_PCM_NONBLOCK)
    guard result >= 0, let pcm else { throw ALSAError("snd_pcm_open", result, device) }
    return pcm
  }

  deinit {
    if let pcm { snd_pcm_close(pcm) }
  }

  func check(_ result: Int32, _ call: String) throws(ALSAError) {
    guard result >= 0 else { throw ALSAError(call, result, device) }
  }

  /// Sets when the device starts and wakes its user, and puts its timestamps on CLOCK_MONOTONIC.
  func setSoftware(startThreshold: Int) throws(ALSAError) {
    var parameters: OpaquePointer?
    try check(snd_pcm_sw_params_malloc(&parameters), "snd_pcm_sw_params_malloc")
    defer { snd_pcm_sw_params_free(parameters) }
    try check(snd_pcm_sw_params_current(pcm, parameters), "snd_pcm_sw_params_current")
    try check(
      snd_pcm_sw_params_set_start_threshold(pcm, parameters, snd_pcm_uframes_t(startThreshold)),
      "snd_pcm_sw_params_set_start_threshold")
    try check(
      snd_pcm_sw_params_set_avail_min(pcm, parameters, snd_pcm_uframes_t(periodFrames)),
      "snd_pcm_sw_params_set_avail_min")
    // Plugins may lack these two; without them the time of fetching serves.
    _ = snd_pcm_sw_params_set_tstamp_mode(pcm, parameters, SND_PCM_TSTAMP_ENABLE)
    _ = snd_pcm_sw_params_set_tstamp_type(pcm, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
    try check(snd_pcm_sw_params(pcm, parameters), "snd_pcm_sw_params")
  }

  /// Whether a sound server backs the device (PulseAudio, PipeWire, JACK) and fetches samples at its own pace:
  /// PulseAudio's null sink does so every two seconds.
  var isServed: Bool { snd_pcm_type(pcm) == SND_PCM_TYPE_IOPLUG }

  /// Waits until the device can be read or written, or was interrupted. Returns false after `timeout`.
  func wait(timeout: TimeSpan) throws(ALSAError) -> Bool {
    let result = snd_pcm_wait(pcm, Int32(clamping: timeout.milliseconds))
    if Self.isInterruption(result) { return true }
    try check(result, "snd_pcm_wait")
    return result > 0
  }

  /// The duration of the frames.
  func duration(of frames: Int) -> TimeSpan {
    TimeSpan.seconds(Int64(max(0, frames))) / Int64(rate)
  }
}

// MARK: - Interruptions

extension ALSAStream {
  /// What became of an interrupted stream.
  enum Recovery {
    /// Prepared again: it has to be started.
    case prepared
    /// It continues by itself.
    case resumed
    /// The hardware still sleeps; ask again in a moment.
    case suspended
  }

  /// Overrun, underrun, or suspended by the system: nothing is broken.
  static func isInterruption(_ result: Int32) -> Bool { result == -EPIPE || result == -ESTRPIPE }

  /// Makes a stream usable again after a call returned `interruption`.
  func recover(from interruption: Int32) throws(ALSAError) -> Recovery {
    guard interruption == -ESTRPIPE else { return try prepare() }
    switch snd_pcm_resume(pcm) {
    case 0: return .resumed
    case -EAGAIN: return .suspended
    default: return try prepare()
    }
  }

  @discardableResult
  func prepare() throws(ALSAError) -> Recovery {
    try check(snd_pcm_prepare(pcm), "snd_pcm_prepare")
    return .prepared
  }
}

/// Gives a device time after "try again"; keeps one that is always ready from taking a whole core.
func restALittle() {
  var time = timespec(tv_sec: 0, tv_nsec: 2_000_000)
  nanosleep(&time, nil)
}
