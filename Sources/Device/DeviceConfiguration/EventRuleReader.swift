import CallPolicy
import ConfigFile
import EventDetection
import Delivery

/// Reads `[[event_rule]]`.
struct EventRuleReader {
  let table: ConfigTable
  let configuration: DeviceConfiguration

  static func rules(_ root: ConfigTable, _ configuration: DeviceConfiguration) -> [EventRuleSettings] {
    let tables = root.tables("event_rule")
    if tables.count > EventRuleSettings.most {
      let problem = "there are \(tables.count) rules about events, more than \(EventRuleSettings.most)"
      root.addError(problem, at: "event_rule")
    }
    if let table = tables.first, configuration.events.sources.isEmpty {
      table.addError(
        "there is no [[event]] or [[geofence]] that the rule could be about", remedy: "add one, or remove the rule")
    }
    var names: Set<String> = []
    let rules = tables.compactMap { table in
      let rule = EventRuleReader(table: table, configuration: configuration).settings()
      if let rule, !names.insert(rule.rule.name).inserted {
        table.addError("another rule is named \"\(rule.rule.name)\"", remedy: "give each its own name", at: "name")
      }
      return rule
    }
    checkPlans(root, configuration.plans, rules)
    return rules
  }

  /// A plan that waits for rules would wait for ever.
  private static func checkPlans(_ root: ConfigTable, _ plans: [PlanSettings], _ rules: [EventRuleSettings]) {
    let named = Set(rules.flatMap(\.effects.plans))
    for plan in plans where plan.occasion.isOfRules && !named.contains(plan.name) {
      root.addError(
        "no rule has plan \"\(plan.name)\" record, which waits for that",
        remedy: "add record = [\"\(plan.name)\"] to an [[event_rule]], or set when = \"events\"", at: "plan")
    }
  }

  /// Nil where the file has mistakes, which are told; all that is there is read before that is judged.
  private func settings() -> EventRuleSettings? {
    let (name, effects) = (table.name(example: "at night"), effects())
    let isIgnored = table.bool("ignore", default: false)
    var rule = EventRule(name: name ?? "")
    readConditions(&rule)
    readLimits(&rule)
    checkIgnored(isIgnored, effects)
    guard let name else { return nil }
    checkName(name, effects)
    return EventRuleSettings(rule: rule, effects: effects)
  }

  // MARK: What it looks at

  private func readConditions(_ rule: inout EventRule) {
    let sources = configuration.events.sources.map(\.name)
    rule.sources = table.references("event", among: sources, "[[event]] or [[geofence]]").map { Set($0) }
    rule.kinds = table.choices("kind", as: EventKind.self).map { Set($0) }
    let cameras = configuration.cameras.map(\.name) + [CameraSettings.mainName]
    rule.cameras = table.references("camera", among: cameras, "[[camera]]").map { Set($0) }
    if table.isEmptyArray("kind") { table.addError("kind is an empty list", remedy: "leave it out", at: "kind") }
    rule.hours = table.weeklyHours("hours")
    rule.minimumScore = table.integer("min_score", in: 0...100)
    rule.isHome = table.bool("home")
  }

  private func readLimits(_ rule: inout EventRule) {
    rule.limit = table.value("at_most") { text throws(ConfigValueError) in try ActionPolicyReader.limit(text) }
    rule.minimumGap = table.duration("min_gap", in: .seconds(1) ... .seconds(86_400))
  }

  // MARK: What it does

  private func effects() -> EventEffects {
    var effects = EventEffects()
    effects.call = HuntSettings.read(table)
    effects.actions = table.references("action", among: configuration.actions.map(\.name), "[[action]]") ?? []
    effects.plans = table.references("record", among: configuration.plans.map(\.name), "[[plan]]") ?? []
    effects.sendsWebhook = table.bool("webhook", default: false)
    effects.recipients = table.values("mail", parse: MailAddress.parse) ?? []
    effects.program = ProgramSettings.read(table)
    checkPlans(effects.plans)
    checkRecipients(effects.recipients)
    if table.contains("timeout"), !table.contains("run") {
      table.addError("timeout without run does nothing", remedy: "add run", at: "timeout")
    }
    return effects
  }

  private func checkPlans(_ names: [String]) {
    guard let plan = configuration.plans.first(where: { names.contains($0.name) && !$0.occasion.isOfRules }) else {
      return
    }
    table.addError(
      "plan \"\(plan.name)\" records whatever rules say",
      remedy: "set when = \"rules\" in its [[plan]], or leave record out", at: "record")
  }

  private func checkRecipients(_ recipients: [MailAddress]) {
    let most = EventEffects.mostRecipients
    guard table.isEmptyArray("mail") || recipients.count > most else { return }
    table.addError("mail has \(recipients.count) addresses, not 1 to \(most)", at: "mail")
  }

  private func checkIgnored(_ isIgnored: Bool, _ effects: EventEffects) {
    if isIgnored, !effects.isEmpty {
      table.addError(
        "ignore = true with something to do", remedy: "remove ignore, or what is to be done", at: "ignore")
    }
    let keys = ["call", "action", "record", "webhook", "mail", "run"]
    if !isIgnored, effects.isEmpty, !keys.contains(where: { table.contains($0) && $0 != "webhook" }) {
      table.addError(
        "the rule does nothing",
        remedy: "add one of \(keys.joined(separator: ", ")), or ignore = true if that is meant", at: "name")
    }
  }

  /// A hunt is known by the name of whoever began it.
  private func checkName(_ name: String, _ effects: EventEffects) {
    guard effects.call != nil else { return }
    if name == "call" {
      table.addError("name cannot be \"call\"", remedy: "name the rule after its purpose", at: "name")
    }
    guard configuration.buttons.contains(where: { $0.name == name }) else { return }
    table.addError("a button is named \"\(name)\"", remedy: "give the rule another name", at: "name")
  }
}
