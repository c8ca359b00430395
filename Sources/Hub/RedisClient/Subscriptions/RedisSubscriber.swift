/// Receives the messages of a changing set of channels, over a connection of its own.
///
/// After a reconnect it subscribes to all channels again and reports ``RedisConnectionEvent/connected``: what was published
/// in between is lost, and its users have to reread the state. In a cluster it has a connection to each master,
/// and reports that of each. May be used from any task.
public final class RedisSubscriber: Sendable {
  /// Which commands of Redis carry the messages.
  public enum Kind: Sendable, Hashable {
    /// `SUBSCRIBE`: messages of `PUBLISH`.
    case plain
    /// `SSUBSCRIBE`: messages of `SPUBLISH`, which in a cluster stay in the shard of the channel's slot.
    case sharded
  }

  private let service: any SubscriptionService

  public init(_ settings: RedisConnectionSettings, kind: Kind = .plain) {
    if case .cluster(let addresses) = settings.endpoint {
      service = ClusterSubscriber(addresses, settings, kind)
    } else {
      service = ServerSubscriber(settings, kind)
    }
  }

  /// Keeps connections until the task is cancelled; no message comes after that. To be called once.
  ///
  /// - Parameters:
  ///   - onEvent: called on an event loop; must not block.
  ///   - onMessage: called on an event loop for each message, in order; must not block.
  public func run(
    onEvent: @escaping @Sendable (RedisConnectionEvent) -> Void = { _ in },
    onMessage: @escaping @Sendable (RedisMessage) -> Void
  ) async {
    await service.run(onEvent, onMessage)
  }

  /// Adds a wish for each channel; returns when the server has confirmed them.
  ///
  /// - Throws: when they are not confirmed now. The wishes stand all the same and are fulfilled at the next connect, unless
  ///   the server refused one (``RedisFailure/Cause/subscriptionRefused(code:)``): then none stands.
  public func subscribe(_ channels: [String]) async throws(RedisFailure) { try await service.subscribe(channels) }

  /// Takes back one wish for each channel; does not wait, so that messages may still come for a moment.
  public func unsubscribe(_ channels: [String]) { service.unsubscribe(channels) }
}
