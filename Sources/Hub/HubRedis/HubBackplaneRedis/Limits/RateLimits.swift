internal import RedisClient

/// Limits that count for all nodes together, as ``HubCore/RateLimiter`` does for one.
enum RateLimits {
  private static let window = 60_000_000

  /// Counts one; the reply is 0, or the whole seconds to wait.
  static func take(_ name: String, _ key: String, perMinute: Int) -> RedisCommand {
    .call("take", [RedisKeys.limit(name, key)], ["\(window / max(1, perMinute))", "\(window)"])
  }
}
