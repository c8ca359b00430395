import DeviceConfiguration
import Delivery
import Signalling

/// One thing that a rule has done.
enum EventEffect: Sendable {
  case record([String])
  case call(HuntSettings)
  case action(String)
  case webhook
  case push([PushRecipient])
  case mail([MailAddress])
  case program(ProgramSettings)

  /// Of what kind it is, for problems: each kind has one at a time.
  enum Kind: CaseIterable {
    case record, call, action, webhook, push, mail, program
    /// Too much at the same time.
    case limit
  }

  static func all(of effects: EventEffects) -> [EventEffect] {
    let others: [EventEffect?] = [
      effects.plans.isEmpty ? nil : .record(effects.plans), effects.call.map { .call($0) },
      effects.sendsWebhook ? .webhook : nil,
      effects.pushRecipients.isEmpty ? nil : .push(effects.pushRecipients),
      effects.recipients.isEmpty ? nil : .mail(effects.recipients),
      effects.program.map { .program($0) },
    ]
    return others.compactMap(\.self) + effects.actions.map { .action($0) }
  }

  var kind: Kind {
    switch self {
    case .record: .record
    case .call: .call
    case .action: .action
    case .webhook: .webhook
    case .push: .push
    case .mail: .mail
    case .program: .program
    }
  }

  /// For people.
  var text: String {
    switch self {
    case .record(let plans): "record by \(plans.joined(separator: ", "))"
    case .call(let call): "call \(call.users.joined(separator: ", "))"
    case .action(let name): "action \(name)"
    case .webhook: "webhook queued"
    case .push(let recipients): "push to \(recipients.map(\.text).joined(separator: ", ")) queued"
    case .mail(let recipients): "mail to \(recipients.map(\.text).joined(separator: ", "))"
    case .program(let program): "run \(program.command[0])"
    }
  }
}
