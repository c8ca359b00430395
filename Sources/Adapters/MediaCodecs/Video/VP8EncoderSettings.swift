internal import CVPX
public import MediaCore

/// What a ``VP8Encoder`` is made for; rate and speed may change later.
public struct VP8EncoderSettings: Sendable {
  public var width: Int
  public var height: Int
  /// Expected frames a second; the encoder paces itself by the timestamps.
  public var frameRate: Int
  public var bitrate: Bitrate
  /// 1 to 3. With more than one, viewers with less bandwidth can be given fewer.
  public var temporalLayers: Int
  /// A key frame comes at the latest this long after the last one; nil: on request only.
  public var maximumKeyFrameInterval: TimeSpan?
  /// libvpx's `cpu-used` in real-time mode; negative values are fixed speeds, so that the machine's load never
  /// changes the quality. See ``defaultSpeed``.
  public var speed: Int
  /// Whether frames may be dropped when the rate is exceeded, as WebRTC senders do.
  public var dropsFrames: Bool
  /// Threads that share the rows of a frame. They wait for each other by spinning: at 1920×1080 two took 1.1 times the
  /// CPU time of one on a quiet machine of two cores, and several times as much on a busy one.
  public var threads: Int
  /// Whether ``VP8Encoder/repeatFrame(_:)`` is going to be used.
  public var repeatsFrames = false

  /// On moving content at 640×480 and 800 kbit/s, −8 took 0.88 of the CPU time of −6, and half that of −4, for
  /// 0.01 dB less; −10 costs 0.3 dB.
  public static let defaultSpeed = -8

  /// The range of quantizers that WebRTC senders use, 0 (finest) to 63.
  public static let usualQuantizers = 2...56

  public init(
    width: Int, height: Int, frameRate: Int, bitrate: Bitrate, temporalLayers: Int = 1,
    maximumKeyFrameInterval: TimeSpan? = .seconds(4), speed: Int = VP8EncoderSettings.defaultSpeed,
    dropsFrames: Bool = true, threads: Int = 1
  ) {
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.bitrate = bitrate
    self.temporalLayers = temporalLayers
    self.maximumKeyFrameInterval = maximumKeyFrameInterval
    self.speed = speed
    self.dropsFrames = dropsFrames
    self.threads = threads
  }
}

extension VP8EncoderSettings {
  /// Microseconds: fine enough for any capture clock.
  static let ticksPerSecond: Int32 = 1_000_000

  /// Fills a configuration that libvpx has set to its defaults, with the values that WebRTC senders use.
  func apply(to configuration: inout vpx_codec_enc_cfg_t) {
    configuration.g_w = UInt32(width)
    configuration.g_h = UInt32(height)
    configuration.g_timebase = vpx_rational_t(num: 1, den: Self.ticksPerSecond)
    configuration.g_threads = UInt32(threads)
    configuration.g_lag_in_frames = 0
    configuration.g_pass = VPX_RC_ONE_PASS
    configuration.g_error_resilient = UInt32(VPX_ERROR_RESILIENT_DEFAULT)
    configuration.rc_end_usage = VPX_CBR
    configuration.rc_min_quantizer = UInt32(Self.usualQuantizers.lowerBound)
    configuration.rc_max_quantizer = UInt32(Self.usualQuantizers.upperBound)
    configuration.rc_undershoot_pct = 100
    configuration.rc_overshoot_pct = 15
    configuration.rc_buf_initial_sz = 500
    configuration.rc_buf_optimal_sz = 600
    configuration.rc_buf_sz = 1_000
    configuration.rc_dropframe_thresh = dropsFrames ? 30 : 0
    configuration.rc_resize_allowed = 0
    configuration.kf_mode = VPX_KF_AUTO
    configuration.kf_max_dist = 9_999
    TemporalPattern(layers: temporalLayers).apply(to: &configuration)
    setRate(bitrate, in: &configuration)
  }

  func setRate(_ bitrate: Bitrate, in configuration: inout vpx_codec_enc_cfg_t) {
    let kilobits = UInt32(clamping: max(bitrate.bitsPerSecond / 1_000, 10))
    configuration.rc_target_bitrate = kilobits
    TemporalPattern(layers: temporalLayers).setRates(total: kilobits, in: &configuration)
  }

  /// The rate of the base layer alone.
  public static func baseRate(of bitrate: Bitrate, temporalLayers: Int) -> Bitrate {
    Bitrate(bitsPerSecond: bitrate.bitsPerSecond / 100 * TemporalPattern(layers: temporalLayers).basePercent)
  }

  /// The largest size of a key frame in percent of the average frame's, as WebRTC computes it: half of the
  /// optimal buffer.
  func maximumIntraPercent(_ configuration: vpx_codec_enc_cfg_t) -> Int32 {
    max(300, Int32(saturating: Double(configuration.rc_buf_optimal_sz) * 0.5 * Double(frameRate) / 10))
  }
}
