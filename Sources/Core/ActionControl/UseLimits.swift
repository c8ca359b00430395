internal import CallPolicy
internal import MediaCore

/// When rules' actions were used lately, for rules that limit that. Holds at most as many moments as a rule allows uses.
struct UseLimits: Sendable {
  private var uses: [String: [MonotonicInstant]] = [:]

  /// How long the rule allows nothing more; nil if it does.
  mutating func wait(_ rule: ActionRule, now: MonotonicInstant) -> TimeSpan? {
    guard let limit = rule.limit else { return nil }
    let span = TimeSpan(limit.span)
    let recent = (uses[rule.name] ?? []).filter { now - $0 < span }
    uses[rule.name] = recent
    guard recent.count >= limit.count else { return nil }
    return recent[recent.count - limit.count] + span - now
  }

  mutating func note(_ rule: ActionRule, now: MonotonicInstant) {
    if rule.limit != nil { uses[rule.name, default: []].append(now) }
  }
}
