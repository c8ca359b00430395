public import CallEngine
public import CallPolicy
public import DeviceActions
public import Signalling

/// Actions for parties of calls.
public struct PartyActions: CallActions {
  private let service: ActionService

  public init(service: ActionService) { self.service = service }

  public func offers(to party: CallActionParty) async -> ActionOffers {
    let offers = await service.offers(to: .party(party.party), isInCall: party.isInCall)
    return ActionOffers(
      actions: offers.map {
        ActionOffers.Offer(name: $0.name, needsPIN: $0.needsPIN, isProminent: $0.isProminent ? true : nil)
      })
  }

  public func dialledActions(for party: ActionParty) async -> [DialledAction] {
    await service.dialledActions(for: .party(party))
  }

  public func run(_ command: ActionCommand, for party: CallActionParty, in sessionID: SessionID) async -> ActionAnswer {
    let request = ActionRequest(action: command.name, requester: .party(party.party), isInCall: party.isInCall)
    do throws(ActionRefusal) {
      try await service.run(request, pin: command.pin, sessionID: sessionID.text)
      return ActionAnswer(name: command.name, isDone: true)
    } catch {
      return ActionAnswer(name: command.name, isDone: false, reason: error.reasonCode, wait: error.waitSeconds)
    }
  }
}

extension ActionUse {
  /// As those who watch the device see it.
  public init(_ use: ActionService.Use) {
    self.init(
      action: use.request.action, requester: "\(use.request.requester)", userID: use.request.requester.party?.userID,
      sessionID: use.sessionID.flatMap { SessionID($0) }, refusal: use.refusal.map { "\($0)" })
  }
}
