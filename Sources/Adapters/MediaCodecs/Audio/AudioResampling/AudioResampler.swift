internal import CSpeexDSP

/// Converts interleaved 16-bit samples from one rate to another, which may be corrected slightly while it runs.
///
/// What goes in first comes out first, at the very same instant: the filter's delay is left out at the start and
/// reported by ``pendingFrames`` from then on. Allocates only when made. Use from one thread: libspeexdsp locks
/// nothing.
public struct AudioResampler: ~Copyable {
  /// How far a call of ``process(_:into:)`` came, in frames (samples of each channel).
  public struct Progress: Sendable, Hashable {
    public var taken: Int
    public var made: Int
  }

  public let channels: Int
  public let inputRate: Int
  public let outputRate: Int

  private let state: OpaquePointer
  private let isCorrectable: Bool
  private let denominator: Int
  /// Input frames that make one output frame, as a fraction over ``denominator``.
  private var step: Int
  /// How far the input taken is ahead of the next output frame, in input frames over ``denominator``.
  private var lead = 0

  /// The denominator of changing ratios: the largest prime with which libspeexdsp cannot overflow. A prime, since
  /// libspeexdsp reduces fractions, and each reduction would cost the exact phase.
  private static let fineDenominator = 65_521
  /// 48 taps, flat up to 0.9 of the band; better ones cost more than is audible.
  private static let quality = SPEEX_RESAMPLER_QUALITY_VOIP
  /// The furthest correction, in parts per million.
  public static let maximumCorrection = 5_000.0

  /// - Parameters:
  ///   - channels: from 1.
  ///   - inputRate: hertz; ratios from 1/8 to 8 make sense.
  ///   - isCorrectable: whether the ratio may be corrected; if not, it is exact.
  public init(
    channels: Int, inputRate: Int, outputRate: Int, isCorrectable: Bool = true
  ) throws(AudioResamplerError) {
    let divisor = Self.greatestCommonDivisor(inputRate, outputRate)
    let denominator = isCorrectable ? Self.fineDenominator : outputRate / divisor
    let step = isCorrectable ? Self.step(inputRate, outputRate, partsPerMillion: 0) : inputRate / divisor
    var code: Int32 = 0
    let state = speex_resampler_init_frac(
      UInt32(channels), UInt32(step), UInt32(denominator), UInt32(inputRate), UInt32(outputRate), Self.quality, &code)
    guard let state else { throw AudioResamplerError(call: "speex_resampler_init_frac", code: code) }
    self.state = state
    self.step = step
    self.denominator = denominator
    self.isCorrectable = isCorrectable
    self.channels = channels
    self.inputRate = inputRate
    self.outputRate = outputRate
    speex_resampler_skip_zeros(state)
  }

  deinit { speex_resampler_destroy(state) }

  /// The numerator over the fine denominator, which it must not be a multiple of.
  private static func step(_ inputRate: Int, _ outputRate: Int, partsPerMillion: Double) -> Int {
    let exact = Double(fineDenominator) * Double(inputRate) / Double(outputRate) / (1 + partsPerMillion * 1e-6)
    let step = Int(exact.rounded())
    guard step % fineDenominator == 0 else { return step }
    return exact < Double(step) ? step - 1 : step + 1
  }

  private static func greatestCommonDivisor(_ one: Int, _ other: Int) -> Int {
    other == 0 ? one : greatestCommonDivisor(other, one % other)
  }

  /// How many output frames lie between the next one that comes out and the next input frame that is put in.
  public var pendingFrames: Double { Double(lead) / Double(step) }

  /// Stretches the output by this ratio, from the next frame on and without a step in the sound.
  ///
  /// The ratio has a grain: 15 parts per million at equal rates. So this serves a control loop, which evens that out.
  /// - Parameter partsPerMillion: negative for less output; kept within ``maximumCorrection``. Traps unless correctable.
  public mutating func setCorrection(partsPerMillion: Double) {
    precondition(isCorrectable)
    let kept = min(max(partsPerMillion, -Self.maximumCorrection), Self.maximumCorrection)
    let wanted = Self.step(inputRate, outputRate, partsPerMillion: kept)
    guard wanted != step else { return }
    let result = speex_resampler_set_rate_frac(
      state, UInt32(wanted), UInt32(denominator), UInt32(inputRate), UInt32(outputRate))
    if result == Int32(RESAMPLER_ERR_SUCCESS) { step = wanted }
  }

  /// Takes as much of `input` as there is room for the result in `output`; both are interleaved.
  public mutating func process(_ input: Span<Int16>, into output: inout MutableSpan<Int16>) -> Progress {
    var taken = UInt32(input.count / channels)
    var made = UInt32(output.count / channels)
    input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        _ = speex_resampler_process_interleaved_int(state, input.baseAddress, &taken, output.baseAddress, &made)
      }
    }
    lead += Int(taken) * denominator - Int(made) * step
    return Progress(taken: Int(taken), made: Int(made))
  }

  /// Forgets the input so far, as if newly made; the correction stays.
  public mutating func reset() {
    speex_resampler_reset_mem(state)
    speex_resampler_skip_zeros(state)
    lead = 0
  }
}
