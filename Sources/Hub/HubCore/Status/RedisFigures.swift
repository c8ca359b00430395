/// What one node has to say of its connection to Redis, for `/metrics`.
public struct RedisFigures: Sendable {
  public var isConnected = false
  /// Connections made; all but the first are reconnects.
  public var connections = 0
  /// Of pipelines, from the first command's being sent to the last reply.
  public var roundTrips = DurationHistogram()
  /// Pipelines without an answer, or with a refusal.
  public var failures = 0

  public init() {}
}
