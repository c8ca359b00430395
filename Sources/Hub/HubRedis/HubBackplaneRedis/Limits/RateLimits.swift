internal import HubCore
internal import RedisClient

/// Limits that count for all nodes together, as ``HubCore/RateLimiter`` does for one.
enum RateLimits {
  private static let window = 60_000_000

  /// Counts a call, or a view.
  static func take(callsOf caller: Principal, _ limits: HubLimits) -> RedisCommand {
    caller.role == .viewer
      ? take("view", caller.userID, perMinute: limits.viewsPerMinute)
      : take("call", caller.userID, perMinute: limits.callsPerMinute)
  }

  /// Counts one; the reply is 0, or the whole seconds to wait.
  static func take(_ name: String, _ key: String, perMinute: Int) -> RedisCommand {
    .call("take", [RedisKeys.limit(name, key)], ["\(window / max(1, perMinute))", "\(window)"])
  }
}
