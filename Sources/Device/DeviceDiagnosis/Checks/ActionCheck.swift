import CallPolicy
import ControlMessages
import DeviceConfiguration
import DigitalIO

/// Whether actions can be done, and whether any user may.
struct ActionCheck {
  let subject: Subject

  func findings() -> [Finding] {
    let actions = subject.configuration.actions
    let findings = actions.map { finding($0) } + (subject.policy.map { rules($0.actions, actions) } ?? [])
    return findings.isEmpty ? [Finding(.actions, .ok, "none is configured")] : findings
  }

  private func finding(_ action: ActionSettings) -> Finding {
    switch action.effect {
    case .home, .record: return Finding(.actions, .ok, "\(action.name): needs nothing")
    case .program(let program):
      return ProgramCheck(part: .actions, account: subject.account).finding(program.command[0], action.name)
    case .pulse(let pulse):
      let place: GPIOLineName =
        switch pulse.line.place {
        case .offset(let offset): .offset(offset)
        case .name(let name): .name(name)
        }
      return LineCheck(part: .actions, name: action.name, isDaemonThere: subject.daemon.isThere)
        .finding(pulse.line.chip, place)
    }
  }

  /// Actions that no rule permits, and rules about unknown actions.
  private func rules(_ policy: ActionPolicy, _ actions: [ActionSettings]) -> [Finding] {
    let names = Set(actions.map(\.name))
    let allowed = policy.rules.filter(\.allows).reduce(into: Set<String>()) { $0.formUnion($1.actions) }
    let useless = names.subtracting(allowed).sorted().map {
      Finding(.actions, .warning, "\($0): no rule permits it", remedy: "add an [[action_rule]] to policy.toml")
    }
    let unknown = policy.rules.flatMap { rule in
      rule.actions.subtracting(names).sorted().map {
        Finding(
          .actions, .warning, "the rule \"\(rule.name)\" is about \($0), which there is not",
          remedy: "add it as an [[action]] to device.toml, or remove the rule")
      }
    }
    return useless + unknown
  }
}
