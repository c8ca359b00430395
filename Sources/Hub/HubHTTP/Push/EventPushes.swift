internal import Foundation
internal import HubCore
internal import HubStore
internal import Logging
internal import OpenSSLCrypto
internal import Signalling
internal import SystemSupport

/// Sends people's browsers messages about events at devices, for the devices' rules.
///
/// The node that a device asks sends them; they wait in memory and are lost with it. A later message of the same rule takes the
/// place of an earlier one, at the push service and in the browser, so one that is sent twice does no harm.
final class EventPushes: Sendable {
  /// To push services at the same time, beside those for calls.
  static let connections = 8
  /// People that one event is sent to.
  static let maximumPeople = 64
  /// Messages on their way.
  private static let capacity = 512
  /// For so long a message is of use, and its ticket is good.
  private static let lifetime: Duration = .seconds(3_600)
  /// For so long the hub tries: a push service keeps what it has taken for the rest.
  private static let giveUpAfter: Duration = .seconds(300)

  private struct Order: Sendable {
    var parcel: PushParcel
    var subscription: PushSubscriptionRecord
  }

  private struct State {
    var open = 0
    var devices: RateLimiter
    var people: RateLimiter
  }

  private let store: any HubStore
  private let delivery: PushDelivery
  private let tickets: EventImageTickets
  private let groups: GroupMembers
  private let orders: AsyncStream<Order>
  private let arrival: AsyncStream<Order>.Continuation
  private let state: Mutex<State>

  init(_ sender: PushSender, store: any HubStore, tickets: EventImageTickets, limits: HubLimits, logger: Logger) {
    (self.store, self.tickets, groups) = (store, tickets, GroupMembers(store))
    delivery = PushDelivery(sender, store: store, logger: logger)
    (orders, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    state = Mutex(
      State(
        devices: RateLimiter(perMinute: limits.eventPushesPerMinute),
        people: RateLimiter(perMinute: limits.eventPushesPerPersonPerMinute)))
  }

  var counts: PushDelivery.Counts { delivery.counts }

  /// Has the browsers of the recipients that share a group with the device sent the event; returns how many they are.
  func take(_ request: EventPushRequest, from device: Principal) async throws -> EventPushGrant {
    let event = request.event.report(by: request.event.rule)
    if let refusal = event.refusal {
      throw HubRefusal.invalid(field: "event.\(refusal.field)", reason: refusal.reason)
    }
    let recipients = request.recipients.compactMap { PushRecipient($0) }
    guard (1...PushRecipient.maxCount).contains(recipients.count), recipients.count == request.recipients.count else {
      throw HubRefusal.invalid(
        field: "recipients", reason: "must be 1 to \(PushRecipient.maxCount) of user:ID and group:NAME")
    }
    if let wait = state.withLock({ $0.devices.take(device.userID, now: .now) }) {
      throw HubRefusal.tooMany("pushed events", retryAfter: wait)
    }
    var browsers = 0
    for person in try await people(recipients, knownTo: device) {
      let subscriptions = try await store.subscriptions(of: person)
      guard !subscriptions.isEmpty, admits(person) else { continue }
      let parcel = parcel(of: event, from: device, to: person)
      for subscription in subscriptions { enqueue(Order(parcel: parcel, subscription: subscription)) }
      browsers += subscriptions.count
    }
    return EventPushGrant(browsers: browsers)
  }

  /// Who may fetch an image by a ticket: as the store has the person now; nil for no one.
  func holder(of text: String, deviceID: String, eventID: DetectedEventID) async throws -> Principal? {
    guard let ticket = tickets.ticket(text, now: TokenAuthority.now), ticket.deviceID == deviceID,
      ticket.eventID == eventID, let person = try await store.user(id: ticket.userID),
      try await store.subscriptions(of: person).contains(where: { $0.id == ticket.subscriptionID })
    else { return nil }
    return person.principal
  }

  /// Sends until the task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.trim() }
      for await order in orders {
        let hasRoom = state.withLock { state in
          if state.open < Self.capacity { state.open += 1 } else { return false }
          return true
        }
        guard hasRoom else {
          delivery.lose("too many events are pushed at once")
          continue
        }
        group.addTask {
          _ = await self.delivery.deliver(order.parcel, to: order.subscription)
          self.state.withLock { $0.open -= 1 }
        }
      }
      group.cancelAll()
    }
    await delivery.shutdown()
  }

  // MARK: Recipients

  /// Each once; those who share no group with the device are left out without a word.
  private func people(_ recipients: [PushRecipient], knownTo device: Principal) async throws -> [UserRecord] {
    var seen: Set<String> = []
    var people: [UserRecord] = []
    for recipient in recipients {
      let ids =
        switch recipient {
        case .user(let id): [id]
        case .group(let name): try await groups.people(in: name, knownTo: device)
        }
      for id in ids where people.count < Self.maximumPeople && seen.insert(id).inserted {
        guard let person = try await store.user(id: id), Self.mayKnow(person, of: device) else { continue }
        people.append(person)
      }
    }
    return people
  }

  private static func mayKnow(_ person: UserRecord, of device: Principal) -> Bool {
    person.kind == .person && person.principal.sharesGroup(with: device)
  }

  private func admits(_ person: UserRecord) -> Bool {
    if state.withLock({ $0.people.take(person.id, now: .now) }) == nil { return true }
    delivery.lose("a person is sent too many events")
    return false
  }

  private func isWanted(_ subscription: PushSubscriptionRecord, by personID: String, from deviceID: String) async
    -> Bool
  {
    guard let person = try? await store.user(id: personID), let device = try? await store.user(id: deviceID),
      Self.mayKnow(person, of: device.principal)
    else { return false }
    return (try? await store.subscriptions(of: person).contains(subscription)) ?? false
  }

  // MARK: Messages

  private func enqueue(_ order: Order) {
    if case .dropped = arrival.yield(order) { delivery.lose("too many events are pushed at once") }
  }

  private func parcel(of event: DetectedEvent, from device: Principal, to person: UserRecord) -> PushParcel {
    let (end, tickets) = (Instant.now + Self.lifetime, tickets)
    let expiresAt = TokenAuthority.now + Self.lifetime.components.seconds
    let topic = PushTopic.make("livesessions event \(device.userID) \(event.rule ?? "")")
    return PushParcel(deadline: .now + Self.giveUpAfter) { subscription, now in
      // Anyone who may not see events of devices (`HubState.request`) could not use a ticket.
      let ticket = person.role == .operator ? DetectedEventID(event.id) : nil
      let message = EventPushMessage(
        event, deviceID: device.userID, deviceTitle: device.userTitle,
        imageTicket: ticket.flatMap { eventID in
          tickets.text(
            of: EventImageTicket(
              deviceID: device.userID, eventID: eventID, userID: person.id, subscriptionID: subscription.id,
              expiresAt: expiresAt))
        })
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      // Plain values can be encoded.
      guard let content = try? encoder.encode(message) else { return nil }
      return PushSender.Message(
        content: Array(content), lifetime: max(1, now.duration(to: end).components.seconds), topic: topic,
        urgency: .normal)
    } isWanted: { subscription in
      await self.isWanted(subscription, by: person.id, from: device.userID)
    }
  }

  private func trim() async {
    while (try? await Task.sleep(for: .seconds(60))) != nil {
      let now = Instant.now
      state.withLock { state in
        state.devices.trim(now: now)
        state.people.trim(now: now)
      }
      delivery.trim(now: now)
    }
  }
}

/// Who is in groups, read once for each change of the accounts.
private final class GroupMembers: Sendable {
  private struct Reading {
    var revision: Int64
    /// Ids of people with all their groups, by group.
    var people: [String: [(id: String, groups: Set<String>)]]

    /// A group's, but not those whom the device may not know: a large group of others would be read one by one.
    func ids(in group: String, knownTo device: Principal) -> [String] {
      (people[group] ?? []).filter { !$0.groups.isDisjoint(with: device.groups) }.map(\.id)
    }
  }

  private let store: any HubStore
  private let last = Mutex<Reading?>(nil)

  init(_ store: any HubStore) { self.store = store }

  func people(in group: String, knownTo device: Principal) async throws -> [String] {
    // Before the accounts: a change in between is then read at the next time.
    let revision = try await store.accountRevision()
    if let last = last.withLock(\.self), last.revision == revision { return last.ids(in: group, knownTo: device) }
    var people: [String: [(id: String, groups: Set<String>)]] = [:]
    for user in try await store.users() where user.kind == .person {
      for group in user.groups { people[group, default: []].append((user.id, user.groups)) }
    }
    let reading = Reading(revision: revision, people: people)
    last.withLock { $0 = reading }
    return reading.ids(in: group, knownTo: device)
  }
}
