public import HubCore
public import Signalling

/// A call that is over, as one of its parties has it: each party with an account has a record of its own.
public struct CallRecord: Sendable, Equatable, Codable {
  /// Further ones of a user take the place of the oldest.
  public static let maximumPerUser = 1_000
  /// Of all users together; the oldest go when the store is trimmed.
  public static let maximum = 100_000

  public var ownerID: String
  public var call: CallEntry
  /// The groups of both parties when the call was placed.
  public var callerGroups: Set<String>
  public var receiverGroups: Set<String>

  public init(ownerID: String, call: CallEntry, callerGroups: Set<String>, receiverGroups: Set<String>) {
    (self.ownerID, self.call) = (ownerID, call)
    (self.callerGroups, self.receiverGroups) = (callerGroups, receiverGroups)
  }

  /// Whether the owner has missed the call.
  public var isMissed: Bool { call.receiver.userID == ownerID && call.outcome.isMissed }

  /// Where the record stands among others.
  public var place: CallPlace { CallPlace(endedAt: call.endedAt, sessionID: call.sessionID) }

  /// The records of a call; parties without an account have none.
  public static func records(of call: CallEntry, from caller: Principal, to receiver: Principal) -> [CallRecord] {
    [caller, receiver].filter { $0.role.hasAccount }.map { owner in
      CallRecord(
        ownerID: owner.userID, call: call, callerGroups: caller.groups, receiverGroups: receiver.groups)
    }
  }
}

/// Calls by their end, and those of one moment by their ids; a cursor of lists.
public struct CallPlace: Sendable, Equatable, Comparable {
  /// In milliseconds since 1970, like ``endedAt``: what 15 digits hold.
  private static let latest: Int64 = 999_999_999_999_999

  public var endedAt: Int64
  public var sessionID: SessionID

  public init(endedAt: Int64, sessionID: SessionID) { (self.endedAt, self.sessionID) = (endedAt, sessionID) }

  /// Returns nil for a text that is none of ``text``.
  public init?(_ text: String) {
    guard let dash = text.firstIndex(of: "-"), text[..<dash].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let time = Int64(text[..<dash]), time <= Self.latest,
      let id = SessionID(String(text[text.index(after: dash)...]))
    else { return nil }
    self.init(endedAt: time, sessionID: id)
  }

  public var text: String { "\(endedAt)-\(sessionID)" }

  public static func < (first: CallPlace, second: CallPlace) -> Bool {
    (first.endedAt, first.sessionID) < (second.endedAt, second.sessionID)
  }
}
