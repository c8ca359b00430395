internal import HubCore
internal import RedisClient
internal import Signalling

/// An event that is on its way to a user's log.
struct OutgoingEvent: Codable, Sendable {
  var userID: String
  var name: String
  /// JSON without line feeds.
  var data: String
}

/// Appends events to users' logs, and wakes the nodes that hold their streams.
struct EventDelivery: Sendable {
  /// How long a delivery is known, so that repeating it has no effect.
  static let markLifetime: Duration = .seconds(120)
  let limits: HubLimits

  static func outgoing(_ deliveries: [Delivery]) -> [OutgoingEvent] {
    deliveries.map { delivery in
      let event = EncodedEvent(delivery.event)
      return OutgoingEvent(userID: delivery.userID, name: event.name.rawValue, data: event.data)
    }
  }

  /// - Parameter mark: names the delivery of all these events; a second one under the same mark has no effect.
  func commands(for events: [OutgoingEvent], mark: String?) -> [RedisCommand] {
    events.enumerated().map { index, event in command(for: event, mark: mark.map { "\($0):\(index)" }) }
  }

  private func command(for event: OutgoingEvent, mark: String?) -> RedisCommand {
    let keys = UserKeys(event.userID)
    return .call(
      "deliver", [keys.clients, keys.user, keys.events, "\(keys.user):mark:\(mark ?? "")"],
      [
        keys.channel, event.name, event.data, "\(limits.eventsPerUser)", "\(limits.eventBytesPerUser)",
        limits.resumeWindow.inMilliseconds, (limits.resumeWindow * 3).inMilliseconds,
        mark == nil ? "0" : Self.markLifetime.inMilliseconds,
      ])
  }
}

extension Duration {
  /// Whole milliseconds, as Redis takes them.
  var inMilliseconds: String { "\(components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)" }
}
