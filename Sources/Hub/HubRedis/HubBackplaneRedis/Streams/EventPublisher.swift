internal import HubCore
internal import RedisClient
internal import Signalling

/// Writes events that no change of a session causes into users' logs.
struct EventPublisher: Sendable {
  let link: RedisLink
  let delivery: EventDelivery
  let counters: NodeCounters

  func publish(_ deliveries: [Delivery]) async throws(HubRefusal) {
    let events = EventDelivery.outgoing(deliveries)
    counters.note { $0.eventsPublished += events.count }
    try await link.run(delivery.commands(for: events, mark: nil))
  }
}
