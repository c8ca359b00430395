public import CallPolicy
public import Signalling

/// A party of a call that asks for actions.
public struct CallActionParty: Sendable, Equatable {
  public var party: ActionParty
  /// Whether the call is connected; else it rings at the party.
  public var isInCall: Bool

  public init(party: ActionParty, isInCall: Bool) {
    self.party = party
    self.isInCall = isInCall
  }
}

/// Does the device's actions for parties of calls that are connected, or that the device has ring at them.
public protocol CallActions: Sendable {
  /// The actions that the policy permits a party now.
  func offers(to party: CallActionParty) async -> ActionOffers
  /// The actions that a party can dial, permitted ones and others.
  func dialledActions(for party: ActionParty) async -> [DialledAction]
  /// Does an action if the policy permits it, and returns the result; within half a minute.
  func run(_ command: ActionCommand, for party: CallActionParty, in sessionID: SessionID) async -> ActionAnswer
}
