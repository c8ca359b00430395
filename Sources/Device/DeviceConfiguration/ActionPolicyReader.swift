import CallPolicy
import ConfigFile

/// Reads `[[action_rule]]`: who may use which action.
struct ActionPolicyReader {
  enum Decision: String, CaseIterable { case allow, refuse }

  struct Keys: SettingGroup {
    var rule = ActionRule(name: "", actions: [])
    var name: String?
    var actions: [String] = []
    var decision = Decision.allow
  }

  static let settings: [Setting<Keys>] = [
    Setting(
      "name", \.name, .string, example: "\"residents open the door\"",
      "The rule's name, for logs and explanations; no two have the same."),
    Setting(
      "action", \.actions, .texts("list of names", parse: ActionSettings.checkName), example: "[\"open-door\"]",
      isRequired: true, "Which actions."),
    Setting(
      "caller", \.rule.requesters, .texts("list of callers", parse: requester),
      example: "[\"group:residents\", \"local\"]",
      """
      As in [[rule]]; `"local"`: who may use the control socket; `"http"`: who asks by [http] of device.toml; \
      `"mqtt"`: who may publish to the device's topics at the broker of [mqtt] there; `"button:NAME"`: who presses that \
      [[button]] of device.toml; `"event:NAME"`: an [[event_rule]] there, because of the [[event]] of this name. Required \
      unless the rule refuses.
      """),
    Setting(
      "hours", \.rule.hours, .weeklyHours, example: "\"daily 08:00-22:00\"",
      "As in [[rule]]; while the clock is not synchronised such a rule allows nothing."),
    Setting("in_call", \.rule.needsCall, .bool, "Only callers who are in a connected call with the device."),
    Setting("decision", \.decision, .choice(), "What a rule that matches says."),
    Setting(
      "at_most", \.rule.limit, .text("limit", parse: limit), example: "\"5 per 10m\"", "Uses by all together."),
    Setting(
      "pin", \.rule.pin, .text("path or credential", parse: pin), example: "\"/etc/livesessions/door.pin\"",
      """
      A file of mode 0600 that holds the PIN, the daemon's user's own, or `"credential:NAME"`, a credential of systemd. \
      The third wrong PIN in a row locks the rule for who entered it, for 30s, each further one for twice as long, \
      up to an hour; all together have 12 wrong ones and one more each half hour.
      """),
  ]

  let table: ConfigTable

  static func policy(_ tables: [ConfigTable]) -> ActionPolicy {
    var names: Set<String> = []
    let rules = tables.enumerated().map { index, table in
      let rule = ActionPolicyReader(table: table).rule(defaultName: "action rule \(index + 1)")
      if !names.insert(rule.name).inserted {
        table.addError("another rule is named \"\(rule.name)\"", remedy: "give each its own name", at: "name")
      }
      return rule
    }
    return ActionPolicy(rules: rules)
  }

  private func rule(defaultName: String) -> ActionRule {
    let keys = Self.settings.values(of: table)
    var rule = keys.rule
    rule.name = keys.name ?? defaultName
    rule.actions = Set(keys.actions)
    rule.allows = keys.decision == .allow
    if table.isEmptyArray("action") { table.addError("action is an empty list", remedy: "name one", at: "action") }
    check(rule)
    return rule
  }

  private static func requester(_ text: String) throws(ConfigValueError) -> ActionRequesterPattern {
    if let pattern = ActionRequesterPattern(text) { return pattern }
    throw PolicyRuleKeys.callerError(text, also: "local, http, mqtt, button:NAME, event:NAME")
  }

  /// `5 per 10m`.
  static func limit(_ text: String) throws(ConfigValueError) -> UseLimit {
    let words = text.split(separator: " ")
    guard words.count == 3, words[1] == "per", let count = Int(words[0]), (1...1_000).contains(count) else {
      throw ConfigValueError("\"\(text)\" is no limit", remedy: "write for example at_most = \"5 per 10m\"")
    }
    let span = try ConfigQuantity.duration(String(words[2]))
    guard span >= .seconds(1), span <= .seconds(86_400) else {
      throw ConfigValueError("at_most covers 1s to 1d", remedy: "write for example at_most = \"5 per 10m\"")
    }
    return UseLimit(count: count, span: span)
  }

  private static func pin(_ text: String) throws(ConfigValueError) -> ActionRule.PINSource {
    let prefix = "credential:"
    if text.hasPrefix("/") { return .file(path: text) }
    let name = text.dropFirst(prefix.count)
    guard text.hasPrefix(prefix), !name.isEmpty, name != "..", !name.contains("/") else {
      throw ConfigValueError(
        "pin must name where the PIN stands, not the PIN",
        remedy: "write the absolute path of a file of mode 0600, or \"credential:NAME\"")
    }
    return .credential(name: String(name))
  }

  private func check(_ rule: ActionRule) {
    if rule.allows, !table.contains("caller") {
      table.addMissing("caller", example: "[\"group:residents\", \"local\"]")
    }
    if table.isEmptyArray("caller") { table.addError("caller is an empty list", remedy: "name a caller", at: "caller") }
    for key in ["at_most", "pin"] where !rule.allows && table.contains(key) {
      table.addError("\(key) has no effect with decision refuse", remedy: "remove it", at: key)
    }
    if rule.pin != nil, let requesters = rule.requesters, !requesters.isEmpty, requesters.allSatisfy(\.isWithoutKeys) {
      table.addError(
        "buttons and events cannot enter a PIN", remedy: "remove pin, or name other callers", at: "pin")
    }
    if rule.needsCall, let requesters = rule.requesters, !requesters.isEmpty, !requesters.contains(where: \.isCaller) {
      table.addError(
        "only callers are in a call", remedy: "remove in_call, or name user:, group: or role:", at: "in_call")
    }
  }
}
