import CallPolicy
import ConfigFile

/// Reads `[[action_rule]]`: who may use which action.
struct ActionPolicyReader {
  private enum Decision: String, CaseIterable { case allow, refuse }

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
    var rule = ActionRule(name: table.string("name", default: defaultName), actions: actions())
    rule.requesters = requesters()
    rule.hours = table.weeklyHours("hours")
    rule.needsCall = table.bool("in_call", default: false)
    rule.allows = table.choice("decision", as: Decision.self) != .refuse
    rule.limit = table.value("at_most") { text throws(ConfigValueError) in try Self.limit(text) }
    rule.pin = table.value("pin") { text throws(ConfigValueError) in try Self.pin(text) }
    check(rule)
    return rule
  }

  private func actions() -> Set<String> {
    let names = table.values("action") { text throws(ConfigValueError) in try ActionSettings.checkName(text) }
    if !table.contains("action") { table.addMissing("action", example: "[\"open-door\"]") }
    if table.isEmptyArray("action") { table.addError("action is an empty list", remedy: "name one", at: "action") }
    return Set(names ?? [])
  }

  private func requesters() -> [ActionRequesterPattern]? {
    table.values("caller") { text throws(ConfigValueError) in
      if let pattern = ActionRequesterPattern(text) { return pattern }
      throw PolicyConditionReader.callerError(text, also: "local, button:NAME, event:NAME")
    }
  }

  /// `5 per 10m`.
  static func limit(_ text: String) throws(ConfigValueError) -> UseLimit {
    let words = text.split(separator: " ")
    guard words.count == 3, words[1] == "per", let count = Int(words[0]), (1...1_000).contains(count) else {
      throw ConfigValueError("\"\(text)\" is no limit", remedy: "write for example at_most = \"5 per 10m\"")
    }
    let span = try ConfigQuantity.duration(String(words[2]))
    guard span >= .seconds(1), span <= .seconds(86_400) else {
      throw ConfigValueError("at_most looks at 1s to 1d", remedy: "write for example at_most = \"5 per 10m\"")
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
    if table.isEmptyArray("caller") { table.addError("caller is an empty list", remedy: "name somebody", at: "caller") }
    for key in ["at_most", "pin"] where !rule.allows && table.contains(key) {
      table.addError("\(key) has no effect with decision refuse", remedy: "remove it", at: key)
    }
    if rule.pin != nil, let requesters = rule.requesters, !requesters.isEmpty, requesters.allSatisfy(\.isWithoutKeys) {
      table.addError(
        "nobody enters a PIN with a button, nor does an event", remedy: "remove pin, or name other callers", at: "pin")
    }
    if rule.needsCall, let requesters = rule.requesters, !requesters.isEmpty, !requesters.contains(where: \.isCaller) {
      table.addError(
        "only callers are in a call", remedy: "remove in_call, or name user:, group: or role:", at: "in_call")
    }
  }
}
