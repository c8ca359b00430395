/// What an ``EchoController`` does besides taking out echo.
public struct EchoControlSettings: Sendable, Hashable {
  /// Whether both sides are audible at once.
  public enum Duplex: Sendable, Hashable {
    case full
    /// The microphone is turned down by 30 dB while the loudspeaker plays.
    case half
  }

  /// Whether the microphone is turned down while the loudspeaker plays.
  public var duplex = Duplex.full
  /// The reduction of steady noise in decibels; 0 disables it.
  public var noiseReduction: Float = 12
  /// The level that speech is brought to, in decibels of full scale (root mean square); nil to leave it unchanged.
  public var speechLevel: Float?

  /// Full duplex, 12 dB of noise reduction, speech as loud as it is.
  public init() {}
}

/// What an ``EchoController`` measures, for telemetry.
public struct EchoControlStatistics: Sendable, Hashable {
  /// Recent echo reduction in decibels without near-end speech (ERLE, ITU-T G.168); nil before there was any.
  public var echoReturnLossEnhancement: Float?
  /// The echo's lag behind playback in milliseconds; nil until known.
  public var delayMilliseconds: Double?
  /// The difference of the clocks of microphone and loudspeaker, as far as it is not corrected elsewhere.
  public var clockDifferencePartsPerMillion = 0.0
  /// The level of near-end speech in decibels of full scale, before amplification; nil until there was any.
  public var speechLevel: Float?
  /// Whether the echo's path is known well enough for full duplex.
  public var isConverged = false
}
