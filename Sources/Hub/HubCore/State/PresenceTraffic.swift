/// What one user may cause by presence: updates, lists, and what others hear of it.
struct PresenceTraffic: Sendable {
  var updates: RateLimiter
  var queries: RateLimiter
  var announcements: PresenceAnnouncements

  init(limits: HubLimits) {
    updates = RateLimiter(perMinute: limits.presenceUpdatesPerMinute)
    queries = RateLimiter(perMinute: limits.nearbyQueriesPerMinute)
    announcements = PresenceAnnouncements(interval: limits.presenceAnnouncementInterval)
  }

  mutating func trim(now: Instant) {
    updates.trim(now: now)
    queries.trim(now: now)
  }
}
