internal import CALSA
internal import Glibc
internal import MediaCore

/// An open PCM device set to interleaved signed 16-bit samples at 48 kHz.
struct ALSAStream: ~Copyable {
  let device: String
  /// Set for as long as the value lives; nil only while a failing `init` ends it.
  private(set) var pcm: OpaquePointer?
  private(set) var periodFrames = 0
  private(set) var bufferFrames = 0

  /// ALSA prints errors to stderr unless told otherwise, once a process.
  private static let silenced: Void = calsa_silence_errors()

  static let sampleRate: UInt32 = 48_000

  init(_ device: String, _ direction: snd_pcm_stream_t, channels: Int, periods: Int) throws(ALSAError) {
    self.device = device
    _ = Self.silenced
    try check(snd_pcm_open(&pcm, device, direction, SND_PCM_NONBLOCK), "snd_pcm_open")
    try setHardware(channels: channels, periods: periods)
  }

  deinit {
    if let pcm { snd_pcm_close(pcm) }
  }

  func check(_ result: Int32, _ call: String) throws(ALSAError) {
    guard result >= 0 else { throw ALSAError(call, result, device) }
  }

  /// Asks for 10 ms periods and takes the nearest that the card has.
  private mutating func setHardware(channels: Int, periods: Int) throws(ALSAError) {
    var parameters: OpaquePointer?
    try check(snd_pcm_hw_params_malloc(&parameters), "snd_pcm_hw_params_malloc")
    defer { snd_pcm_hw_params_free(parameters) }
    try check(snd_pcm_hw_params_any(pcm, parameters), "snd_pcm_hw_params_any")
    try check(
      snd_pcm_hw_params_set_access(pcm, parameters, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
    try check(
      snd_pcm_hw_params_set_format(pcm, parameters, SND_PCM_FORMAT_S16_LE), "snd_pcm_hw_params_set_format")
    try check(
      snd_pcm_hw_params_set_channels(pcm, parameters, UInt32(channels)), "snd_pcm_hw_params_set_channels")
    try check(snd_pcm_hw_params_set_rate(pcm, parameters, Self.sampleRate, 0), "snd_pcm_hw_params_set_rate")
    var period = snd_pcm_uframes_t(Self.sampleRate / 100)
    try check(
      snd_pcm_hw_params_set_period_size_near(pcm, parameters, &period, nil), "snd_pcm_hw_params_set_period_size_near")
    var buffer = period * snd_pcm_uframes_t(periods)
    try check(
      snd_pcm_hw_params_set_buffer_size_near(pcm, parameters, &buffer), "snd_pcm_hw_params_set_buffer_size_near")
    try check(snd_pcm_hw_params(pcm, parameters), "snd_pcm_hw_params")
    periodFrames = Int(period)
    bufferFrames = Int(buffer)
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

  /// Waits until the device can be read or written. Returns false after `timeout`.
  func wait(timeout: TimeSpan) throws(ALSAError) -> Bool {
    let result = snd_pcm_wait(pcm, Int32(clamping: timeout.milliseconds))
    if Self.isInterruption(result) { return true }
    try check(result, "snd_pcm_wait")
    return result > 0
  }

  /// Overrun, underrun, or suspended by the system: the stream has to be prepared anew, and nothing is broken.
  static func isInterruption(_ result: Int32) -> Bool { result == -EPIPE || result == -ESTRPIPE }

  /// Makes an interrupted stream usable again.
  func prepareAgain() throws(ALSAError) {
    try check(snd_pcm_prepare(pcm), "snd_pcm_prepare")
  }
}
