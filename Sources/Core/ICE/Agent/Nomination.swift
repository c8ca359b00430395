import MediaCore

/// The controlling side's choice of the pair that media takes (RFC 8445 §8.1.1): the best that works, once better ones
/// have had their chance.
struct Nomination {
  /// When a better pair is waited for no longer; nil before one works.
  private(set) var deadline: MonotonicInstant?

  /// Resets: a pair was selected, the role has changed, or ICE was restarted.
  mutating func reset() { deadline = nil }

  /// The pair to nominate now; nil while one is being nominated, or a better one may yet succeed.
  mutating func choose(
    from checklist: Checklist, now: MonotonicInstant, _ configuration: ICEConfiguration
  ) -> Int? {
    guard !checklist.pairs.contains(where: { $0.isNominating }),
      let best = checklist.best(where: { $0.isFresh(now, configuration) })
    else { return nil }
    let limit = deadline ?? now + configuration.nominationDelay
    deadline = limit
    return now >= limit || !checklist.isBetterOpen(than: best) ? best : nil
  }
}
