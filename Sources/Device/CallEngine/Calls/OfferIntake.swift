import MediaCore

/// An offer of the other side, by the hub's number.
struct NumberedOffer: Sendable, Equatable {
  var sdp: String
  /// 0 for the one that placed the call; nil where the hub is older than the device.
  var number: Int?
}

/// The other side's offers within a call: one is answered at a time, of those that come meanwhile the newest alone, and
/// no more than one each ``interval`` once a ``burst`` is used up (the generic cell rate algorithm).
///
/// Each answer takes the media plane and the hub some work, and an offer replaces the one before it in the hub, so an
/// answer to an older one would be taken for an answer to the newer.
struct OfferIntake: Sendable {
  static let interval = TimeSpan.seconds(2)
  static let burst: Int64 = 10
  /// After this the media plane's answer is not waited for.
  static let timeout = TimeSpan.seconds(10)
  private static let always = MonotonicInstant(nanoseconds: .min)

  /// The newest offer that waits for its turn.
  private var waiting: NumberedOffer?
  /// The limit for the answer that is being made.
  private var answeringUntil: MonotonicInstant?
  /// When the whole burst is there again.
  private var wholeAt: MonotonicInstant?
  /// Whether an offer had to wait, or was replaced by a newer one.
  private(set) var isCrowded = false

  /// Takes an offer; returns it if it is to be answered now.
  mutating func take(_ offer: NumberedOffer, now: MonotonicInstant) -> NumberedOffer? {
    waiting = offer
    let next = popReady(now: now)
    if next == nil { isCrowded = true }
    return next
  }

  /// The media plane has answered the offer, or cannot; returns whether there is no newer one.
  mutating func finish() -> Bool {
    answeringUntil = nil
    return waiting == nil
  }

  /// The offer whose turn has come.
  mutating func popReady(now: MonotonicInstant) -> NumberedOffer? {
    guard let offer = waiting, let readyAt = nextDeadline, readyAt <= now else { return nil }
    waiting = nil
    answeringUntil = now + Self.timeout
    wholeAt = max(wholeAt ?? now, now) + Self.interval
    return offer
  }

  /// When the offer that waits has its turn, unless the answer before it is made sooner.
  var nextDeadline: MonotonicInstant? {
    guard waiting != nil else { return nil }
    let allowedAt = wholeAt.map { $0 - Self.interval * (Self.burst - 1) } ?? Self.always
    return max(allowedAt, answeringUntil ?? Self.always)
  }
}
