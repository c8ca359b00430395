public import MediaCore
public import Signalling

/// Several people of whom one is to be reached.
public struct HuntPlan: Sendable, Equatable {
  public enum Order: String, Sendable, Equatable, CaseIterable {
    /// One after the other; who is busy, rejects or is offline is passed over at once.
    case inTurn = "in-turn"
    /// All ring; the first who answers has the call.
    case allAtOnce = "all-at-once"
  }

  /// More are not called by one hunt.
  public static let maxParties = 16

  /// Distinguishes it from other hunts: a button's name, or ``commandName``. Each has one hunt at a time.
  public var name: String
  /// In the order in which they are called; 1 to ``maxParties``, each once.
  public var parties: [CallParty]
  public var order: Order
  /// How long it rings at each, 1 s to 60 s, counted from the moment at which the call is placed.
  public var ringFor: TimeSpan
  /// What the calls carry; what the device has, if nil.
  public var media: Set<MediaKind>?

  /// The name of a hunt that the command line asked for.
  public static let commandName = "call"

  public init(
    name: String, parties: [CallParty], order: Order = .inTurn, ringFor: TimeSpan = .seconds(20),
    media: Set<MediaKind>? = nil
  ) {
    self.name = name
    self.parties = parties
    self.order = order
    self.ringFor = ringFor
    self.media = media
  }

  var isValid: Bool {
    (1...Self.maxParties).contains(parties.count) && Set(parties.map(\.userID)).count == parties.count
      && ringFor >= .seconds(1) && ringFor <= .seconds(60)
  }
}

/// A hunt as displays show it.
public struct HuntSnapshot: Sendable, Equatable {
  public enum State: Sendable, Equatable {
    /// Who is being called.
    case calling([CallParty])
    case answered(CallParty, SessionID)
    case ended(CallHunt.Outcome)
  }

  public var name: String
  public var order: HuntPlan.Order
  public var startedAt: MonotonicInstant
  public var state: State
}
