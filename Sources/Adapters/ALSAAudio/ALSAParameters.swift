internal import CALSA
internal import Glibc
internal import MediaCore

/// What a device can do (`snd_pcm_hw_params_t`), narrowed step by step to the requested configuration.
struct ALSAParameters: ~Copyable {
  private let pcm: OpaquePointer?
  private let device: String
  private let pointer: OpaquePointer

  /// The least work first.
  static let formats: [(format: PCMFormat, code: snd_pcm_format_t)] = [
    (.signed16, SND_PCM_FORMAT_S16_LE), (.signed32, SND_PCM_FORMAT_S32_LE), (.signed24, SND_PCM_FORMAT_S24_3LE),
    (.signed24In32, SND_PCM_FORMAT_S24_LE), (.float32, SND_PCM_FORMAT_FLOAT_LE),
  ]
  /// 48 kHz, then what keeps the whole band by the least work, then the others from the best down.
  static let rates: [UInt32] = [
    48_000, 96_000, 44_100, 88_200, 192_000, 176_400, 64_000, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
  ]

  /// Studio cards have this many, and no fewer; the first two count.
  static let maxChannels = 32

  /// The longest buffer that a driver may report: over a minute, and within available memory.
  private static let maxFrames: snd_pcm_uframes_t = 1 << 24

  /// All native capabilities of the device: plugins that convert rates are asked not to.
  init(_ pcm: OpaquePointer?, device: String) throws(ALSAError) {
    pointer = try Self.all(of: pcm, device)
    self.pcm = pcm
    self.device = device
  }

  private static func all(of pcm: OpaquePointer?, _ device: String) throws(ALSAError) -> OpaquePointer {
    var pointer: OpaquePointer?
    var result = snd_pcm_hw_params_malloc(&pointer)
    guard let pointer else { throw ALSAError("snd_pcm_hw_params_malloc", result, device) }
    result = snd_pcm_hw_params_any(pcm, pointer)
    guard result >= 0 else {
      snd_pcm_hw_params_free(pointer)
      throw ALSAError("snd_pcm_hw_params_any", result, device)
    }
    _ = snd_pcm_hw_params_set_rate_resample(pcm, pointer, 0)
    return pointer
  }

  deinit { snd_pcm_hw_params_free(pointer) }

  private func check(_ result: Int32, _ call: String) throws(ALSAError) {
    guard result >= 0 else { throw ALSAError(call, result, device) }
  }

  func setInterleaved() throws(ALSAError) {
    try check(
      snd_pcm_hw_params_set_access(pcm, pointer, SND_PCM_ACCESS_RW_INTERLEAVED), "snd_pcm_hw_params_set_access")
  }

  func chooseFormat() throws(ALSAError) -> PCMFormat {
    guard let choice = Self.formats.first(where: { has(format: $0.code) }) else {
      throw ALSAError("snd_pcm_hw_params_set_format", -EINVAL, device)
    }
    try check(snd_pcm_hw_params_set_format(pcm, pointer, choice.code), "snd_pcm_hw_params_set_format")
    return choice.format
  }

  /// Mono or stereo as wanted, else the other of the two, else the minimum.
  func chooseChannels(_ wanted: Int) throws(ALSAError) -> Int {
    for count in [wanted, 3 - wanted] + Array(3...Self.maxChannels) where has(channels: count) {
      try check(snd_pcm_hw_params_set_channels(pcm, pointer, UInt32(clamping: count)), "snd_pcm_hw_params_set_channels")
      return count
    }
    throw ALSAError("snd_pcm_hw_params_set_channels", -EINVAL, device)
  }

  func chooseRate() throws(ALSAError) -> Int {
    if let rate = Self.rates.first(where: { has(rate: $0) }) {
      try check(snd_pcm_hw_params_set_rate(pcm, pointer, rate, 0), "snd_pcm_hw_params_set_rate")
      return Int(clamping: rate)
    }
    var nearest: UInt32 = 48_000
    try check(snd_pcm_hw_params_set_rate_near(pcm, pointer, &nearest, nil), "snd_pcm_hw_params_set_rate")
    guard (8_000...192_000).contains(nearest) else { throw ALSAError("snd_pcm_hw_params_set_rate", -EINVAL, device) }
    return Int(clamping: nearest)
  }

  /// Sets the nearest to `periods` of `frames` each that the device has, and gives it the parameters.
  func commit(periodFrames frames: Int, periods: Int) throws(ALSAError) -> (periodFrames: Int, bufferFrames: Int) {
    var period = snd_pcm_uframes_t(frames)
    try check(
      snd_pcm_hw_params_set_period_size_near(pcm, pointer, &period, nil), "snd_pcm_hw_params_set_period_size_near")
    var buffer = snd_pcm_uframes_t(frames * periods)
    try check(
      snd_pcm_hw_params_set_buffer_size_near(pcm, pointer, &buffer), "snd_pcm_hw_params_set_buffer_size_near")
    try check(snd_pcm_hw_params(pcm, pointer), "snd_pcm_hw_params")
    guard (1...Self.maxFrames).contains(period), (period...Self.maxFrames).contains(buffer) else {
      throw ALSAError("snd_pcm_hw_params", -EINVAL, device)
    }
    return (Int(clamping: period), Int(clamping: buffer))
  }

  func has(format: snd_pcm_format_t) -> Bool { snd_pcm_hw_params_test_format(pcm, pointer, format) == 0 }

  func has(channels: Int) -> Bool { snd_pcm_hw_params_test_channels(pcm, pointer, UInt32(clamping: channels)) == 0 }

  func has(rate: UInt32) -> Bool { snd_pcm_hw_params_test_rate(pcm, pointer, rate, 0) == 0 }
}
