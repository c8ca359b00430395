public import MediaCore

/// Takes the loudspeaker's echo out of what a microphone captures, so that both sides can speak at once.
///
/// Sound comes in blocks of 10 ms at 48 kHz, mono: the reference and the signal captured at about the same time.
/// Cleaned sound comes out ``latency`` later. Until the echo's path is known, some second after something is played for
/// the first time, and after it has changed altogether, only the far end is audible. Above 8 kHz echo is suppressed,
/// not cancelled. Made for speech: suppression takes steady sound for noise. Allocates only when made, some 600 KiB.
/// Use from one thread. See docs/internals/sound.md and docs/internals/adr/0010-echo-cancellation.md.
public struct EchoController: ~Copyable {
  /// Samples of a block.
  public static var blockFrames: Int { 480 }
  /// The output's lag behind the input.
  public static var latency: TimeSpan { .milliseconds(10) }

  private let settings: EchoControlSettings
  private let transform = RealTransform(count: Audio.frame)
  private let near = FloatBuffer(count: Audio.block)
  private let far = FloatBuffer(count: Audio.block)
  private let output = FloatBuffer(count: Audio.block)
  private var canceller = LinearCanceller()
  private var alignment = Alignment()
  private var fit = FilterFit()
  private let frames = OverlappedFrames()
  private var suppressor: Suppressor
  private var meter = ERLEMeter()
  private var ducker = Ducker()
  private var gain: GainControl

  /// Allocates all that ``EchoController`` needs; nothing allocates later.
  public init(_ settings: EchoControlSettings = EchoControlSettings()) {
    self.settings = settings
    suppressor = Suppressor(noiseReduction: settings.noiseReduction)
    gain = GainControl(target: settings.speechLevel)
  }

  /// Cleans one block.
  /// - Parameters:
  ///   - captured: 480 samples of the microphone.
  ///   - played: 480 samples as the loudspeaker got them, the whole mix; zeros while it is silent.
  ///   - delay: about how much later than in `played` its echo is in `captured`; it may be wrong by 50 ms, and is only asked
  ///     at the start.
  ///   - cleaned: becomes 480 samples without echo.
  public mutating func process(
    captured: Span<Int16>, played: Span<Int16>, delay: TimeSpan, into cleaned: inout MutableSpan<Int16>
  ) {
    precondition(captured.count == Audio.block && played.count == Audio.block && cleaned.count == Audio.block)
    for index in 0..<Audio.block {
      near[index] = Float(captured[index]) / 32_768
      far[index] = Float(played[index]) / 32_768
    }
    cancel(delay)
    finish()
    for index in 0..<Audio.block {
      cleaned[index] = Int16(nearest: output[index] * 32_768)
    }
  }

  private mutating func cancel(_ delay: TimeSpan) {
    alignment.start(reported: delay)
    alignment.update(played: far, captured: near, share: fit.share, &canceller, transform)
    canceller.process(played: far, captured: near, delay: alignment.delay, transform)
    frames.analyse(error: canceller.error, echo: canceller.echo, transform)
    fit.measure(error: frames.error, echo: frames.echo)
    suppressor.process(frames.error, echo: frames.echo, played: canceller.reference, trust: alignment.trust)
    frames.synthesize(frames.error, into: output, transform)
    meter.measure(
      captured: near, cleaned: output,
      isEchoAlone: alignment.isPlaying && suppressor.isEchoing && suppressor.detector.probability < 0.1)
  }

  private mutating func finish() {
    if settings.duplex == .half { ducker.process(output, played: canceller.playedPower) }
    gain.process(output, nearSpeech: suppressor.detector.probability)
  }

  /// Resets, as after a sound card was reopened; what is known of the clocks stays.
  public mutating func reset() {
    canceller.reset(transform)
    alignment.reset()
    fit.reset()
    frames.reset()
    suppressor.reset()
    meter = ERLEMeter()
  }

  /// Measurements up to the last block.
  public var statistics: EchoControlStatistics {
    var result = EchoControlStatistics()
    result.echoReturnLossEnhancement = meter.reduction
    result.delayMilliseconds = alignment.lag.map { $0.seconds * 1_000 }
    result.clockDifferencePartsPerMillion = alignment.partsPerMillion
    result.speechLevel = gain.speechLevel
    result.isConverged = alignment.trust > 0.5
    return result
  }

  /// What the adaptive filter left of the last block: 480 samples of full scale 1. For measurements, which derive from
  /// this and by the gains what became of each component.
  public func copyLinear(into samples: inout MutableSpan<Float>) {
    for index in 0..<min(samples.count, Audio.block) { samples[index] = canceller.error[index] }
  }

  /// The suppressor's gains of the frame of the last two blocks: 481 from 0 to 24 kHz.
  public func copyGains(into gains: inout MutableSpan<Float>) { suppressor.copyGains(into: &gains) }
}
