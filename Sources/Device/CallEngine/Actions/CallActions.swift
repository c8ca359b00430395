public import CallPolicy
public import Signalling

/// Does the device's actions for parties of connected calls.
public protocol CallActions: Sendable {
  /// The actions that the policy permits a party now.
  func offers(to party: ActionParty) async -> ActionOffers
  /// The actions that a party can dial, permitted ones and others.
  func dialledActions(for party: ActionParty) async -> [DialledAction]
  /// Does an action if the policy permits it, and returns the result; within half a minute.
  func run(_ command: ActionCommand, for party: ActionParty, in sessionID: SessionID) async -> ActionAnswer
}
