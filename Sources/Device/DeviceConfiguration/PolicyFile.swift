public import CallPolicy
public import ConfigFile
import Signalling

/// Reads `policy.toml`.
public enum PolicyFile {
  /// Where the packages install it.
  public static let defaultPath = "/etc/livesessions/policy.toml"

  /// - Parameter cameras: the names of what callers can see (``DeviceConfiguration/viewNames``); nil where the device is not known.
  /// - Throws: all the mistakes of the file; the policy that holds until then stays in force.
  public static func read(path: String, cameras: [String]? = nil) throws(ConfigErrors) -> CallPolicy {
    try ConfigDocument(path: path).read { policy($0, cameras) }
  }

  /// - Parameter file: the name that errors show.
  public static func read(text: String, file: String, cameras: [String]? = nil) throws(ConfigErrors) -> CallPolicy {
    try ConfigDocument(text: text, file: file).read { policy($0, cameras) }
  }

  private enum Default: String, CaseIterable { case reject }

  private static func policy(_ root: ConfigTable, _ cameras: [String]?) -> CallPolicy {
    _ = root.choice("default", as: Default.self)
    var names: Set<String> = []
    let rules = root.tables("rule").enumerated().compactMap { index, table -> PolicyRule? in
      let name = table.string("name", default: "rule \(index + 1)")
      if !names.insert(name).inserted {
        table.addError("another rule is named \"\(name)\"", remedy: "give each its own name", at: "name")
      }
      let conditions = PolicyConditionReader(table: table).conditions()
      let decision = PolicyDecisionReader(table: table, cameras: cameras).decision()
      return rule(name, conditions, decision, table)
    }
    let outgoing = OutgoingSettingsReader(table: root.table("outgoing"), cameras: cameras).settings()
    let callsPerCaller = root.table("limits").integer("calls_per_caller", in: 1...16) ?? 2
    let actions = ActionPolicyReader.policy(root.tables("action_rule"))
    var policy = CallPolicy(rules: rules, outgoing: outgoing, callsPerCaller: callsPerCaller, actions: actions)
    policy.recording = recording(root.table("recording"))
    return policy
  }

  /// Reads `[recording]`: who may have the device record by hand.
  private static func recording(_ table: ConfigTable) -> RecordingPermissions {
    let allowed = table.values("allowed") { text throws(ConfigValueError) in
      if let pattern = CallerPattern(text) { return pattern }
      throw PolicyConditionReader.callerError(text)
    }
    if table.isEmptyArray("allowed") {
      table.addError("allowed is an empty list", remedy: "leave it out to permit nobody", at: "allowed")
    }
    return RecordingPermissions(allowed: allowed ?? [])
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
        "the rule looks at nothing but the distance, which callers report themselves",
        remedy: "add for example caller = [\"role:operator\"]", at: "within")
    case .noCallers where table.isEmptyArray("caller"):
      table.addError("caller is an empty list", remedy: "leave it out to match everybody", at: "caller")
    // The list's wrong elements are reported already.
    case .noCallers: break
    }
  }
}
