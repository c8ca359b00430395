import CallPolicy
public import ControlMessages
import DeviceActions

extension EngineControl {
  public func actions() async throws -> [ActionSummary] {
    guard let service = actionService else { return [] }
    let offers = await service.offers(to: requester, isInCall: false)
    return await service.names.map { name in
      let offer = offers.first { $0.name == name }
      return ActionSummary(name: name, isAllowed: offer != nil, needsPIN: offer?.needsPIN ?? false)
    }
  }

  public func runAction(name: String, pin: String?) async throws {
    guard let service = actionService else {
      throw DeviceControlError.actionRefused(name: name, message: "\(ActionRefusal.unknownAction)")
    }
    do throws(ActionRefusal) {
      try await service.run(ActionRequest(action: name, requester: requester), pin: pin)
    } catch {
      throw DeviceControlError.actionRefused(name: name, message: "\(error)")
    }
  }
}
