public import MediaCore

/// How fast is sent: limits of bit rate, of which a lower one may hold during calls (a token bucket).
public struct UploadPacer: Sendable {
  public struct Limits: Hashable, Sendable {
    /// Nil for as fast as it goes.
    public var usual: Bitrate?
    /// While there is a call; nil for the usual one, zero for a pause.
    public var inCalls: Bitrate?

    public init(usual: Bitrate?, inCalls: Bitrate?) {
      self.usual = usual
      self.inCalls = inCalls
    }
  }

  public enum Decision: Hashable, Sendable {
    case send
    /// Ask again after this time.
    case wait(TimeSpan)
    /// Nothing may be sent for as long as there is a call.
    case pause
  }

  /// What may be sent at once after a rest.
  private static let burst = TimeSpan.milliseconds(250)
  /// The maximum wait before the limits are checked again.
  private static let longestWait = TimeSpan.seconds(1)

  private let limits: Limits
  /// When all that was let go will have been sent, at the rate of then.
  private var sentUntil = MonotonicInstant(nanoseconds: 0)

  public init(_ limits: Limits) { self.limits = limits }

  /// Asks whether that many octets may be sent now; if so, they count as sent.
  public mutating func admit(_ byteCount: Int, isInCall: Bool, now: MonotonicInstant) -> Decision {
    guard let rate = rate(isInCall) else { return .send }
    guard rate.bitsPerSecond > 0 else { return .pause }
    let earliest = now - Self.burst
    if sentUntil > now { return .wait(min(sentUntil - now, Self.longestWait)) }
    let cost = TimeSpan(seconds: Double(byteCount) * 8 / Double(rate.bitsPerSecond))
    sentUntil = max(sentUntil, earliest) + cost
    return .send
  }

  private func rate(_ isInCall: Bool) -> Bitrate? {
    guard isInCall, let lower = limits.inCalls else { return limits.usual }
    return limits.usual.map { min($0, lower) } ?? lower
  }
}
