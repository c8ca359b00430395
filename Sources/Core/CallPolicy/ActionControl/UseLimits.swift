public import MediaCore

/// When rules were used lately, for rules that limit that. Holds at most as many moments as a rule allows uses.
public struct UseLimits: Sendable {
  private var uses: [String: [MonotonicInstant]] = [:]

  public init() {}

  /// How long a limit allows nothing more; nil if it does.
  ///
  /// - Parameter name: the rule's.
  public func wait(_ name: String, _ limit: UseLimit, now: MonotonicInstant) -> TimeSpan? {
    let span = TimeSpan(limit.span)
    let recent = (uses[name] ?? []).filter { now - $0 < span }
    guard limit.count > 0, recent.count >= limit.count else { return nil }
    return recent[recent.count - limit.count] + span - now
  }

  /// A rule of this limit is used.
  public mutating func note(_ name: String, _ limit: UseLimit, now: MonotonicInstant) {
    let span = TimeSpan(limit.span)
    uses[name] = (uses[name] ?? []).filter { now - $0 < span } + [now]
  }
}
