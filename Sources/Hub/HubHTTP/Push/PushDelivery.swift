internal import HubCore
internal import HubStore
internal import Logging
internal import MediaCore
internal import OpenSSLCrypto
internal import SessionToken
internal import SystemSupport

/// Something that browsers are to be sent.
struct PushParcel: Sendable {
  /// When it is of no use any longer.
  var deadline: Instant
  /// For one browser; nil when its time is over.
  var message: @Sendable (PushSubscriptionRecord, Instant) -> PushSender.Message?
  /// Whether a subscription may still have it; asked before it is sent once more.
  var isWanted: @Sendable (PushSubscriptionRecord) async -> Bool
}

/// Delivers messages to push services, within bounds: it waits as long as they request, forgets subscriptions that have ended,
/// and counts.
final class PushDelivery: Sendable {
  private static let maxAttempts = 5
  /// Origins that fail; users name them.
  private static let rememberedOrigins = 64

  /// Since the start.
  struct Counts: Sendable, Equatable {
    var taken = 0
    var lost = 0
    /// Subscriptions that push services said had ended.
    var removed = 0

    static func + (first: Counts, second: Counts) -> Counts {
      Counts(
        taken: first.taken + second.taken, lost: first.lost + second.lost, removed: first.removed + second.removed)
    }
  }

  private struct State {
    var counts = Counts()
    /// Until when push services want no further message to these subscriptions.
    var pauses: [String: Instant] = [:]
    /// The origins of push services that take no messages now.
    var failing: Set<String> = []
  }

  private let store: any HubStore
  private let sender: PushSender
  private let logger: Logger
  private let state = Mutex(State())

  init(_ sender: PushSender, store: any HubStore, logger: Logger) {
    (self.sender, self.store, self.logger) = (sender, store, logger)
  }

  var counts: Counts { state.withLock { $0.counts } }

  /// Tries until the push service has taken the message, will not, or its time is over; returns whether it was taken.
  func deliver(_ parcel: PushParcel, to subscription: PushSubscriptionRecord) async -> Bool {
    var backoff = Backoff(initial: .seconds(1), maximum: .seconds(30))
    let origin = PushOrigin(of: subscription)
    for attempt in 1...Self.maxAttempts {
      guard await waitForTurn(of: subscription, until: parcel.deadline),
        let message = parcel.message(subscription, .now)
      else { break }
      if attempt > 1, !(await parcel.isWanted(subscription)) { return false }
      switch await sender.send(message, to: subscription) {
      case .taken:
        succeed(at: origin)
        return true
      case .gone:
        await remove(subscription, at: origin)
        return false
      case .refused(let cause):
        fail(at: origin, cause)
        lose("\(origin): \(cause)")
        return false
      case .failed(let cause, let requested):
        fail(at: origin, cause)
        let random = backoff.next(random: .random(in: 0..<1))
        pause(subscription, for: requested ?? random)
      }
      if Task.isCancelled { return false }
    }
    lose("\(origin): its time is over")
    return false
  }

  /// A message is not sent; `cause` is for the log at level debug.
  func lose(_ cause: String) {
    state.withLock { $0.counts.lost += 1 }
    logger.debug("a push message is lost: \(cause)")
  }

  /// Forgets what is over.
  func trim(now: Instant) {
    state.withLock { state in
      state.pauses = state.pauses.filter { $0.value > now }
      if state.failing.count >= Self.rememberedOrigins { state.failing = [] }
    }
  }

  func shutdown() async { await sender.shutdown() }

  /// Whether the subscription's pause ends in time.
  private func waitForTurn(of subscription: PushSubscriptionRecord, until deadline: Instant) async -> Bool {
    guard let end = state.withLock({ $0.pauses[subscription.id] }), end > .now else { return true }
    guard end < deadline else { return false }
    return (try? await Task.sleep(until: end, clock: .continuous)) != nil
  }

  private func pause(_ subscription: PushSubscriptionRecord, for time: TimeSpan) {
    // A day at most.
    let end = Instant.now + .milliseconds(time.milliseconds)
    state.withLock { $0.pauses[subscription.id] = end }
  }

  private func remove(_ subscription: PushSubscriptionRecord, at origin: PushOrigin) async {
    logger.info("a push subscription has ended at \(origin)", metadata: ["user": "\(subscription.userID)"])
    let wasThere = try? await store.removeSubscription(id: subscription.id, ofUser: subscription.userID)
    if wasThere == true { state.withLock { $0.counts.removed += 1 } }
  }

  private func succeed(at origin: PushOrigin) {
    let wasFailing = state.withLock { state in
      state.counts.taken += 1
      return state.failing.remove(origin.text) != nil
    }
    if wasFailing { logger.notice("\(origin) takes push messages again") }
  }

  /// Says it once until that works again.
  private func fail(at origin: PushOrigin, _ cause: String) {
    let isNew = state.withLock { $0.failing.count < Self.rememberedOrigins && $0.failing.insert(origin.text).inserted }
    if isNew { logger.warning("\(origin) does not take push messages, so browsers there may not show them: \(cause)") }
  }
}

/// Topics of messages: 32 characters that do not reveal what they are made of.
enum PushTopic {
  static func make(_ text: String) -> String {
    Base64URL.encode(Array(OpenSSLCrypto().sha256(Array(text.utf8)).prefix(24)))
  }
}

/// What logs may show of where a subscription is.
private struct PushOrigin: CustomStringConvertible {
  let text: String

  init(of subscription: PushSubscriptionRecord) {
    text = subscription.endpoint.split(separator: "/", omittingEmptySubsequences: false).prefix(3).joined(
      separator: "/")
  }

  var description: String { "push service \(text)" }
}
