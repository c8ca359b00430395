/// The presence traffic of one user: updates, lists, and reports to others.
public struct PresenceTraffic: Sendable {
  public var updates: RateLimiter
  public var queries: RateLimiter
  public var announcements: PresenceAnnouncements

  public init(limits: HubLimits) {
    updates = RateLimiter(perMinute: limits.presenceUpdatesPerMinute)
    queries = RateLimiter(perMinute: limits.nearbyQueriesPerMinute)
    announcements = PresenceAnnouncements(interval: limits.presenceAnnouncementInterval)
  }

  public mutating func trim(now: Instant) {
    updates.trim(now: now)
    queries.trim(now: now)
  }
}
