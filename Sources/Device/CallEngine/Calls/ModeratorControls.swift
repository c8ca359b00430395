import CallPolicy
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling
internal import JournalLogging

/// What a party of a call asks the device to do: a moderator may, by the role that the hub signed and where the policy
/// lets it.
struct ModeratorControls: Sendable {
  let mutes: MuteControl
  /// The names of what there is to see.
  let cameras: [String]
  let logger: Logger

  /// Takes a control of the party of a live call.
  func take(_ event: ControlEvent, in call: inout Call, now: MonotonicInstant) -> [CallAction] {
    let control = CallControl(action: event.action, target: event.target)
    let wasExceeded = call.controls.isExceeded
    guard call.controls.take(now: now) else {
      if !wasExceeded {
        logger.notice("\(event.userID) asks too often in call \(session: event.sessionID), and is refused")
      }
      return [.controlResult(control, .tooOften)]
    }
    do throws(ControlRefusal) {
      let step = try permittedStep(control, by: event.userID, in: call)
      logger.info("\(event.userID) asks to \(event.action) in call \(session: event.sessionID)")
      return try take(step, control, by: event.userID, in: &call)
    } catch {
      logger.notice("\(event.userID) is refused to \(event.action) in call \(session: event.sessionID): \(error)")
      return [.controlResult(control, error)]
    }
  }

  private func permittedStep(
    _ control: CallControl, by userID: String, in call: Call
  ) throws(ControlRefusal) -> ControlStep {
    // Not by the role in the event itself.
    guard call.partyRole == .moderator, userID == call.details.party.userID else { throw .notModerator }
    guard let step = ControlStep(control) else { throw .unknownAction }
    guard call.machine.terms.control.contains(step.permission) else { throw .policy }
    guard call.machine.phase.isAnswered else { throw .notPossible }
    if step == .chooseCamera, !cameras.contains(where: { $0 == control.target }) { throw .notPossible }
    return step
  }

  private func take(
    _ step: ControlStep, _ control: CallControl, by userID: String, in call: inout Call
  ) throws(ControlRefusal) -> [CallAction] {
    let sessionID = call.details.sessionID
    switch step {
    case .mute(let target):
      mutes.change { $0.mute(target, by: userID, in: sessionID) }
      return [.media(.applyMutes(control))]
    case .unmute(let target):
      guard let refusal = mutes.change({ $0.unmute(target, in: sessionID) }) else {
        return [.media(.applyMutes(control))]
      }
      return [.media(.applyMutes(nil)), .controlResult(control, .muted(refusal))]
    case .swapCamera: return [.media(.swapCamera(control))]
    case .chooseCamera: return [.media(.chooseCamera(control))]
    case .startArchive: return try Self.report(control, call.machine.startArchive())
    case .stopArchive: return try Self.report(control, call.machine.stopArchive())
    }
  }

  private static func report(_ control: CallControl, _ actions: [CallAction]) throws(ControlRefusal) -> [CallAction] {
    guard !actions.isEmpty else { throw .notPossible }
    return actions + [.controlResult(control, nil)]
  }
}

/// A control that the device knows.
private enum ControlStep: Equatable {
  case mute(MuteTarget)
  case unmute(MuteTarget)
  case swapCamera
  /// The one that the control's target names.
  case chooseCamera
  case startArchive
  case stopArchive

  init?(_ control: CallControl) {
    let target = control.target.flatMap { MuteTarget(rawValue: $0) }
    switch (control.action, target) {
    case ("mute", let target?): self = .mute(target)
    case ("unmute", let target?): self = .unmute(target)
    case ("swap-camera", _): self = .swapCamera
    case ("choose-camera", _) where control.target != nil: self = .chooseCamera
    case ("start-archive", _): self = .startArchive
    case ("stop-archive", _): self = .stopArchive
    default: return nil
    }
  }

  var permission: RemoteControl {
    switch self {
    case .mute, .unmute: .mute
    case .swapCamera: .swapCamera
    case .chooseCamera: .chooseCamera
    case .startArchive, .stopArchive: .archive
    }
  }
}
