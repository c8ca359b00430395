internal import Foundation
internal import HubCore
internal import HubStore
internal import Logging
internal import MediaCore
internal import OpenSSLCrypto
internal import ServiceLifecycle
internal import SessionToken
internal import Signalling
internal import SystemSupport

/// Rings phones: carries out what changes of calls have push subscriptions sent, and reports how many ring.
///
/// An order comes to one node. Orders wait in memory and are lost with the node; a message that is sent twice does no harm,
/// since both have one topic.
final class PushService: Sendable {
  /// Orders at the same time; callers' limits keep them far below.
  private static let capacity = 512
  /// After this time a call that has reached no phone waits for none: an attempt takes 10 s.
  private static let settling: Duration = .seconds(12)
  /// How long after a call's end its message is tried again.
  private static let endLifetime: Duration = .seconds(120)

  private struct State {
    var open = 0
    var limiter: RateLimiter
  }

  private let store: any HubStore
  private let sender: PushSender
  private let delivery: PushDelivery
  private let logger: Logger
  /// Those about events at devices, which keep no call waiting.
  let events: EventPushes
  private let orders: AsyncStream<PushOrder>
  private let arrival: AsyncStream<PushOrder>.Continuation
  private let state: Mutex<State>

  /// Reads the hub's push key from the store; makes it at the first time.
  init(_ configuration: PushConfiguration, store: any HubStore, limits: HubLimits, logger: Logger) async throws {
    let kept = try await store.pushKey()
    let octets = if let kept { kept } else { try await store.insertFirstPushKey(P256Key().privateKeyOctets()) }
    let key = try P256Key(privateKey: octets)
    sender = PushSender(configuration, key: key)
    (self.store, self.logger) = (store, logger)
    delivery = PushDelivery(sender, store: store, logger: logger)
    events = EventPushes(
      PushSender(configuration, key: key, connections: EventPushes.connections), store: store,
      tickets: EventImageTickets(pushKey: octets), limits: limits, logger: logger)
    (orders, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.capacity))
    state = Mutex(State(limiter: RateLimiter(perMinute: limits.pushSubscriptionsPerMinute)))
  }

  var applicationServerKey: String { sender.applicationServerKey }
  var counts: PushDelivery.Counts { delivery.counts + events.counts }

  /// For those who look at the hub; subscriptions are those of all nodes.
  func figures() async -> HubStatus.Push {
    let counts = counts
    return HubStatus.Push(
      subscriptions: try? await store.subscriptionCount(), sent: counts.taken, failed: counts.lost,
      removed: counts.removed)
  }

  // MARK: Subscriptions

  /// A user whose phones can be rung, as the store has it; nil for one without subscription, and where the store does not
  /// answer: then calls reach open pages alone.
  func subscriber(_ userID: String) async -> Principal? {
    do {
      guard let user = try await store.user(id: userID), !(try await store.subscriptions(of: user)).isEmpty else {
        return nil
      }
      return user.principal
    } catch {
      logger.error("push subscriptions cannot be read: \(error)")
      return nil
    }
  }

  /// Keeps a browser's subscription; returns its id.
  func subscribe(
    _ request: PushSubscriptionRequest, by claims: AccessClaims, client: String
  ) async throws -> String {
    if let wait = state.withLock({ $0.limiter.take(claims.sub, now: .now) }) {
      throw HubRefusal.tooMany("push subscriptions", retryAfter: wait)
    }
    let record = try PushSubscriptionRecord(request, by: claims, client: client)
    try await sender.check(request.endpoint)
    guard try await store.putSubscription(record) else {
      throw HubRefusal.wrongState("the hub does not keep this login; renew its token, or log in again")
    }
    let end = TokenAuthority.nowInMilliseconds + LoginMemory.whileRinging
    try await Logins(store: store).extend(claims.loginID, until: end)
    return record.id
  }

  // MARK: Orders

  /// Returns at once.
  func take(_ order: PushOrder) {
    guard case .dropped = arrival.yield(order) else { return }
    delivery.lose("too many calls ring at once")
  }

  /// Carries orders out until the task is cancelled.
  func run(reportingTo backplane: any HubBackplane) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.trim() }
      group.addTask { await self.events.run() }
      for await order in orders {
        let hasRoom = state.withLock { state in
          if state.open < Self.capacity { state.open += 1 } else { return false }
          return true
        }
        guard hasRoom else {
          delivery.lose("too many calls ring at once")
          continue
        }
        group.addTask {
          await self.carryOut(order, reportingTo: backplane)
          self.state.withLock { $0.open -= 1 }
        }
      }
      group.cancelAll()
    }
    await delivery.shutdown()
  }

  private func carryOut(_ order: PushOrder, reportingTo backplane: any HubBackplane) async {
    let push = Push(order, now: .now, time: TokenAuthority.nowInMilliseconds)
    let recipients = await recipients(of: order)
    switch order.content {
    case .incoming: await ring(push, at: recipients, reportingTo: backplane)
    case .ended:
      await withDiscardingTaskGroup { group in
        for recipient in recipients { group.addTask { _ = await self.deliver(push, to: recipient) } }
      }
    }
  }

  /// The subscriptions that are to learn of the call now. Who may not know of the caller any longer has none.
  private func recipients(of order: PushOrder) async -> [PushSubscriptionRecord] {
    do {
      guard let receiver = try await store.user(id: order.receiverID), let caller = try await caller(of: order),
        receiver.principal.sharesGroup(with: caller)
      else { return [] }
      return try await store.subscriptions(of: receiver).filter { order.subscriptionIDs?.contains($0.id) ?? true }
    } catch {
      logger.error("push subscriptions cannot be read: \(error)")
      return []
    }
  }

  /// As the store has the caller now; anonymous ones are in none.
  private func caller(of order: PushOrder) async throws -> Principal? {
    if order.caller.role == .anonymous { return order.caller }
    return try await store.user(id: order.caller.userID)?.principal
  }

  private enum Ringing {
    case done(String, isTaken: Bool)
    case timeIsUp
  }

  private func ring(
    _ push: Push, at recipients: [PushSubscriptionRecord], reportingTo backplane: any HubBackplane
  ) async {
    var left = recipients.count
    guard left > 0 else { return await report(PhoneReport(reached: [], isSettled: true), push, backplane) }
    await withTaskGroup(of: Ringing.self) { group in
      for recipient in recipients {
        group.addTask { .done(recipient.id, isTaken: await self.deliver(push, to: recipient)) }
      }
      group.addTask {
        _ = try? await Task.sleep(for: Self.settling)
        return .timeIsUp
      }
      for await event in group {
        switch event {
        case .done(let id, let isTaken):
          left -= 1
          guard isTaken || left == 0 else { continue }
          await report(PhoneReport(reached: isTaken ? [id] : [], isSettled: left == 0), push, backplane)
        case .timeIsUp: await report(PhoneReport(reached: [], isSettled: true), push, backplane)
        }
        if left == 0 { group.cancelAll() }
      }
    }
  }

  private func report(_ report: PhoneReport, _ push: Push, _ backplane: any HubBackplane) async {
    do {
      try await backplane.notePhones(report, in: push.sessionID)
    } catch {
      logger.debug("how many phones ring is not noted: \(error)")
    }
  }

  private func deliver(_ push: Push, to subscription: PushSubscriptionRecord) async -> Bool {
    let parcel = PushParcel(deadline: push.deadline) {
      push.message(now: $1)
    } isWanted: { subscription in
      await self.recipients(of: push.order).contains(subscription)
    }
    return await delivery.deliver(parcel, to: subscription)
  }

  private func trim() async {
    while (try? await Task.sleep(for: .seconds(60))) != nil {
      let now = Instant.now
      state.withLock { $0.limiter.trim(now: now) }
      delivery.trim(now: now)
    }
  }

  /// An order with its time.
  private struct Push: Sendable {
    let order: PushOrder
    /// When the message is of no use any longer.
    let deadline: Instant
    /// The same in milliseconds since 1970.
    private let expiresAt: Int64

    init(_ order: PushOrder, now: Instant, time: Int64) {
      self.order = order
      switch order.content {
      case .incoming:
        deadline = now + order.timeLeft
        expiresAt = time + order.timeLeft.wholeMilliseconds
      case .ended:
        deadline = now + PushService.endLifetime
        expiresAt = 0
      }
    }

    var sessionID: SessionID { order.sessionID }

    /// Nil when its time is over.
    func message(now: Instant) -> PushSender.Message? {
      guard now < deadline else { return nil }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      // Plain values can be encoded.
      guard let content = try? encoder.encode(content) else { return nil }
      return PushSender.Message(
        content: Array(content), lifetime: lifetime(now: now),
        topic: PushTopic.make("livesessions call \(sessionID)"), urgency: .high)
    }

    private var content: PushMessage {
      switch order.content {
      case .incoming(let isVideo):
        PushMessage(
          kind: .callIncoming, sessionID: sessionID, callerID: order.caller.userID,
          callerTitle: order.caller.userTitle, isVideo: isVideo, expiresAt: expiresAt)
      case .ended(let outcome):
        PushMessage(
          kind: .callEnded, sessionID: sessionID, callerID: order.caller.userID, callerTitle: order.caller.userTitle,
          outcome: outcome)
      }
    }

    private func lifetime(now: Instant) -> Int64 {
      switch order.content {
      case .incoming: max(1, now.duration(to: deadline).components.seconds)
      case .ended(.missed): 86_400
      case .ended(.answered), .ended(.ended): 60
      }
    }
  }
}

/// Runs the push service beside a backplane.
struct PushSending: Service {
  let push: PushService
  let backplane: any HubBackplane

  func run() async throws {
    await cancelWhenGracefulShutdown { await push.run(reportingTo: backplane) }
  }
}
