import CallPolicy
import ConfigFile
import Delivery
import Signalling

/// Reads `[[event_rule]]`.
struct EventRuleReader {
  let table: ConfigTable
  let configuration: DeviceConfiguration

  static func rules(_ root: ConfigTable, _ configuration: DeviceConfiguration) -> [EventRuleSettings] {
    let tables = root.tables("event_rule")
    if tables.count > EventRuleSettings.maxCount {
      let problem = "there are \(tables.count) rules about events, more than \(EventRuleSettings.maxCount)"
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

  /// A plan that waits for rules would wait forever.
  private static func checkPlans(_ root: ConfigTable, _ plans: [PlanSettings], _ rules: [EventRuleSettings]) {
    let named = Set(rules.flatMap(\.effects.plans))
    for plan in plans where plan.occasion.isOfRules && !named.contains(plan.name) {
      root.addError(
        "no rule has plan \"\(plan.name)\" record, which waits for that",
        remedy: "add record = [\"\(plan.name)\"] to an [[event_rule]], or set when = \"events\"", at: "plan")
    }
  }

  private struct Keys: SettingGroup {
    var rule = EventRule(name: "")
    var name: String?
    var kinds: [EventKind]?
    var hunt = HuntKeys()
    var sendsWebhook = false
    var pushRecipients: [PushRecipient] = []
    var recipients: [MailAddress] = []
    var program = ProgramKeys()
    var isIgnored = false
  }

  static let section = SettingSection<DeviceConfiguration>(
    "event_rule", .array, whole: \.eventRules, effect: .reload,
    """
    What events set off (guides/alerts.md); up to \(EventRuleSettings.maxCount). The first rule that matches decides; all \
    that it names has to hold. `livesessions events explain NAME` shows what would happen.
    """, settings: settings, sample: sample)

  private static let sample = """
    [[event_rule]]
    name = "at night"
    event = ["yard"]
    kind = ["motion"]
    camera = ["yard"]
    hours = "daily 22:00-06:00"
    min_score = 60
    home = false
    at_most = "3 per 1h"
    min_gap = "5m"
    record = ["alarms"]
    call = ["user:ID"]
    hunt = "in-turn"
    ring_for = "20s"
    action = ["light"]
    webhook = true
    push = ["user:ID", "group:family"]
    mail = ["ann@example.org"]
    run = ["/usr/local/bin/on-event"]
    timeout = "10s"
    """

  private static let settings: [Setting<Keys>] =
    [
      Setting("name", \.name, .tableName, example: "\"at night\"", isRequired: true, "No two rules have the same."),
      Setting(
        "event", "list of names", example: "[\"yard\"]",
        "Tests the source: names of [[event]] and [[geofence]] tables."
      ),
      Setting("kind", \.kinds, .choices(), example: "[\"motion\"]", "Tests the kind."),
      Setting(
        "camera", "list of names", example: "[\"yard\"]",
        "Tests the camera of motion and tamper: names of [[camera]] tables, device for the camera of [video]."),
      Setting(
        "hours", \.rule.hours, .weeklyHours, example: "\"daily 22:00-06:00\"",
        "Hours as in policy.toml; the rule does not match while the clock is not synchronised."),
      Setting(
        "min_score", \.rule.minimumScore, .integer(0...100), example: "60",
        "An event whose score rises is judged once more, by the rules above the one that has matched."),
      Setting(
        "home", \.rule.isHome, .bool, example: "false",
        "`true`: there are people at home; `false`: there are none (`livesessions home`)."),
      Setting(
        "at_most", \.rule.limit, .text("limit", parse: ActionPolicyReader.limit), example: "\"3 per 1h\"",
        "How often the rule may match."),
      Setting(
        "min_gap", \.rule.minimumGap, .duration(.seconds(1) ... .seconds(86_400)), example: "\"5m\"",
        "How long after the last time the rule matches at the earliest."),
      Setting(
        "record", "list of names", example: "[\"alarms\"]", "Names of [[plan]] tables with `when = \"rules\"`."),
    ] + HuntKeys.settings.lifted(\.hunt) + [
      Setting(
        "action", "list of names", example: "[\"light\"]",
        "Names of [[action]] tables; the policy has to allow \"event:NAME\", with the source's name."),
      Setting("webhook", \.sendsWebhook, .bool, "The hub posts the event to its webhooks."),
      Setting(
        "push", \.pushRecipients, .texts("list of people", text: \.text, parse: pushRecipient),
        example: "[\"user:ID\", \"group:family\"]",
        """
        Whose browsers show the event while the page is closed (guides/ring-phones.md): up to \(PushRecipient.maxCount) of \
        `"user:ID"` and `"group:NAME"`, of whom those count that share a group with the device.
        """),
      Setting(
        "mail", \.recipients, .texts("list of mail addresses", parse: MailAddress.parse),
        example: "[\"ann@example.org\"]", "Up to \(EventEffects.maxRecipients) addresses."),
    ]
    + ProgramKeys.settings(
      example: "[\"/usr/local/bin/on-event\"]",
      "A program and its arguments, as in [[action]]; it reads the event as JSON on standard input."
    ).lifted(\.program) + [
      Setting("ignore", \.isIgnored, .bool, "The rule does nothing, and those below are not evaluated.")
    ]

  /// Nil where the file has mistakes, which are logged; all that is there is read before that is judged.
  private func settings() -> EventRuleSettings? {
    let keys = Self.settings.values(of: table)
    let effects = effects(keys)
    var rule = keys.rule
    readConditions(&rule, keys)
    checkIgnored(keys.isIgnored, effects)
    guard let name = keys.name else { return nil }
    rule.name = name
    checkName(name, effects)
    return EventRuleSettings(rule: rule, effects: effects)
  }

  // MARK: Conditions

  private func readConditions(_ rule: inout EventRule, _ keys: Keys) {
    let sources = configuration.events.sources.map(\.name)
    rule.sources = table.references("event", among: sources, "[[event]] or [[geofence]]").map { Set($0) }
    rule.kinds = keys.kinds.map { Set($0) }
    let cameras = configuration.cameras.map(\.name) + [CameraSettings.mainName]
    rule.cameras = table.references("camera", among: cameras, "[[camera]]").map { Set($0) }
    if table.isEmptyArray("kind") { table.addError("kind is an empty list", remedy: "leave it out", at: "kind") }
  }

  // MARK: What it does

  private func effects(_ keys: Keys) -> EventEffects {
    var effects = EventEffects()
    effects.call = HuntSettings.make(keys.hunt, table)
    effects.actions = table.references("action", among: configuration.actions.map(\.name), "[[action]]") ?? []
    effects.plans = table.references("record", among: configuration.plans.map(\.name), "[[plan]]") ?? []
    effects.sendsWebhook = keys.sendsWebhook
    effects.pushRecipients = keys.pushRecipients
    effects.recipients = keys.recipients
    effects.program = keys.program.program
    checkPlans(effects.plans)
    checkCount("push", "people", effects.pushRecipients.count, atMost: PushRecipient.maxCount)
    checkCount("mail", "addresses", effects.recipients.count, atMost: EventEffects.maxRecipients)
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

  private func checkCount(_ key: String, _ what: String, _ count: Int, atMost maximum: Int) {
    guard table.isEmptyArray(key) || count > maximum else { return }
    table.addError("\(key) has \(count) \(what), not 1 to \(maximum)", at: key)
  }

  private static func pushRecipient(_ text: String) throws(ConfigValueError) -> PushRecipient {
    guard let recipient = PushRecipient(text) else {
      throw ConfigValueError(
        "\"\(text)\" is no one to notify",
        remedy: "write user:ID or group:NAME; livesessions config resolve stores the id of a title")
    }
    return recipient
  }

  private func checkIgnored(_ isIgnored: Bool, _ effects: EventEffects) {
    if isIgnored, !effects.isEmpty {
      table.addError(
        "ignore = true with something to do", remedy: "remove ignore, or what is to be done", at: "ignore")
    }
    let keys = ["call", "action", "record", "webhook", "push", "mail", "run"]
    if !isIgnored, effects.isEmpty, !keys.contains(where: { table.contains($0) && $0 != "webhook" }) {
      table.addError(
        "the rule does nothing",
        remedy: "add one of \(keys.joined(separator: ", ")), or ignore = true if that is meant", at: "name")
    }
  }

  /// A hunt is known by the name of what started it.
  private func checkName(_ name: String, _ effects: EventEffects) {
    guard effects.call != nil else { return }
    if name == "call" {
      table.addError("name cannot be \"call\"", remedy: "name the rule after its purpose", at: "name")
    }
    guard configuration.buttons.contains(where: { $0.name == name }) else { return }
    table.addError("a button is named \"\(name)\"", remedy: "give the rule another name", at: "name")
  }
}
