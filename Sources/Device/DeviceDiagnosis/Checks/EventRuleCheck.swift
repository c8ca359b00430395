import CallPolicy
import ControlMessages
import DeviceConfiguration
import Glibc

/// Whether what rules about events say can be done.
struct EventRuleCheck {
  let subject: Subject

  func findings() -> [Finding] {
    let rules = subject.configuration.eventRules
    let findings = mail(rules) + rules.flatMap(program) + rules.flatMap(actions)
    if !findings.isEmpty { return findings }
    let text = rules.isEmpty ? "none is configured" : "\(rules.count) need nothing of the system"
    return [Finding(.eventRules, .ok, text)]
  }

  private var programs: ProgramCheck { ProgramCheck(part: .eventRules, account: subject.account) }

  private func program(_ settings: EventRuleSettings) -> [Finding] {
    guard let program = settings.effects.program else { return [] }
    return [programs.finding(program.command[0], "rule \"\(settings.rule.name)\"")]
  }

  private func mail(_ rules: [EventRuleSettings]) -> [Finding] {
    guard rules.contains(where: { !$0.effects.recipients.isEmpty }) else { return [] }
    let path = subject.configuration.mail.sendmail
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & (S_ISUID | S_ISGID) != 0 else {
      return [programs.finding(path, "mail")]
    }
    return [
      Finding(
        .eventRules, .warning, "mail: \(path) is set-user-ID or set-group-ID, which the shipped service forbids",
        remedy: "install msmtp-mta, or set sendmail in [mail] to another program")
    ]
  }

  /// Actions that the policy lets no event of the rule's sources have done.
  private func actions(_ settings: EventRuleSettings) -> [Finding] {
    guard let policy = subject.policy?.actions else { return [] }
    let all = subject.configuration.events.sources.map(\.name)
    let sources = settings.rule.sources?.sorted() ?? all
    return settings.effects.actions.flatMap { action in
      sources.filter { !policy.mayAllow(action, source: $0) }.map { source in
        Finding(
          .eventRules, .warning, "rule \"\(settings.rule.name)\": no rule lets event:\(source) use \(action)",
          remedy: "add caller = [\"event:\(source)\"] to an [[action_rule]] of policy.toml")
      }
    }
  }
}

extension ActionPolicy {
  fileprivate func mayAllow(_ action: String, source: String) -> Bool {
    rules.contains { rule in
      rule.allows && rule.actions.contains(action) && rule.requesters?.contains(.event(source: source)) == true
    }
  }
}
