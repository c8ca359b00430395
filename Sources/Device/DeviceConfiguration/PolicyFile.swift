public import CallPolicy
public import ConfigFile
import Signalling

/// Reads `policy.toml`.
public enum PolicyFile {
  /// - Parameter cameras: the names of what callers can see (``DeviceConfiguration/viewNames``); nil where the device is not known.
  /// - Throws: all the mistakes of the file; the policy that holds until then stays in force.
  public static func read(path: String, cameras: [String]? = nil) throws(ConfigErrors) -> CallPolicy {
    try ConfigDocument(path: path).read { policy($0, cameras) }
  }

  /// - Parameter file: the name that errors show.
  public static func read(text: String, file: String, cameras: [String]? = nil) throws(ConfigErrors) -> CallPolicy {
    try ConfigDocument(text: text, file: file).read { policy($0, cameras) }
  }

  private static func policy(_ root: ConfigTable, _ cameras: [String]?) -> CallPolicy {
    var keys = Keys()
    sections.read(root, into: &keys)
    var names: Set<String> = []
    let rules = root.tables("rule").enumerated().compactMap { index, table -> PolicyRule? in
      let written = PolicyRuleKeys.settings.values(of: table)
      let name = written.name ?? "rule \(index + 1)"
      if !names.insert(name).inserted {
        table.addError("another rule is named \"\(name)\"", remedy: "give each its own name", at: "name")
      }
      let decision = PolicyDecisionReader(table: table, keys: written, cameras: cameras).decision()
      return rule(name, written.conditions(table), decision, table)
    }
    let outgoing = keys.outgoing.settings(root.table("outgoing"), cameras: cameras)
    let actions = ActionPolicyReader.policy(root.tables("action_rule"))
    var policy = CallPolicy(rules: rules, outgoing: outgoing, callsPerCaller: keys.callsPerCaller, actions: actions)
    policy.recording = RecordingPermissions(
      allowed: keys.recording.allowed, managers: keys.recording.managers)
    return policy
  }

  private static func rule(
    _ name: String, _ conditions: [PolicyCondition], _ decision: PolicyDecision?, _ table: ConfigTable
  ) -> PolicyRule? {
    guard let decision else { return nil }
    do {
      return try PolicyRule(name: name, conditions: conditions, decision: decision)
    } catch {
      refuse(error, table)
      return nil
    }
  }

  private static func refuse(_ error: PolicyRuleError, _ table: ConfigTable) {
    switch error {
    case .nothingButDistance:
      table.addError(
        "the rule tests only the distance, which callers report themselves",
        remedy: "add for example caller = [\"role:operator\"]", at: "within")
    case .noCallers where table.isEmptyArray("caller"):
      table.addError("caller is an empty list", remedy: "leave it out to match everybody", at: "caller")
    // The list's wrong elements are reported already.
    case .noCallers: break
    }
  }
}
