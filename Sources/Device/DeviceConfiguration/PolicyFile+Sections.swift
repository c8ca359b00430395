import CallPolicy
public import ConfigFile

extension PolicyFile {
  /// What the file says besides its rules.
  public struct Keys: SettingGroup {
    enum Default: String, CaseIterable { case reject }

    var fallback = Default.reject
    var callsPerCaller = 2
    var outgoing = OutgoingKeys()
    var recording = RecordingKeys()
    /// Rules are read by readers of their own.
    var rules: [PolicyRule] = []
    var actionRules: [ActionRule] = []

    public init() {}
  }

  struct RecordingKeys: SettingGroup {
    var allowed: [CallerPattern] = []
    var managers: [CallerPattern] = []
  }

  /// The tables of `policy.toml`, in the order in which the sample has them.
  public static let sections: [SettingSection<Keys>] = [
    SettingSection(
      "", .root, at: \.self, effect: .reload, "",
      settings: [
        Setting(
          "default", \.fallback, .choice(), example: "\"reject\"", isSampled: true,
          "What happens to a call without a match.")
      ]),
    SettingSection(
      "rule", .array, whole: \.rules, effect: .reload, isSampled: true,
      """
      Rules are read from top to bottom; the first one that matches decides. All that a rule names must hold; a rule \
      that names nothing matches every call. `livesessions policy explain --caller "Ann" --video --at "Sat 23:00"` says \
      which rule matches, and why those above do not.
      """, settings: PolicyRuleKeys.settings, sample: sampleRules),
    SettingSection(
      "limits", at: \.self, effect: .reload, isSampled: false, "What holds whatever the rules say.",
      settings: [
        Setting(
          "calls_per_caller", \.callsPerCaller, .integer(1...16),
          """
          A caller who has this many calls up, ringing or answered, is rejected (rate-limited). The last of the calls \
          that there may be (`max_sessions` in device.toml) is kept for operators, so that ringing alone keeps them \
          out of nothing.
          """)
      ]),
    SettingSection(
      "outgoing", at: \.outgoing, effect: .reload, isSampled: false,
      "Calls that this device places itself, with `livesessions call` or a button.", settings: OutgoingKeys.settings),
    SettingSection(
      "recording", at: \.recording, effect: .reload, isSampled: false,
      """
      Which operators at the hub may have the device record, from the page (guides/recording.md). `record_now_limit` in \
      device.toml says for how long; `livesessions policy recording WHO` explains.
      """,
      settings: [
        Setting(
          "allowed", \.allowed, .texts("list of callers", parse: recordingCaller),
          example: "[\"role:operator\", \"user:ID\", \"group:NAME\"]",
          "Any of these, as the hub authenticated them; without it none."),
        Setting(
          "managers", \.managers, .texts("list of callers", parse: recordingCaller),
          example: "[\"user:ID\"]",
          """
          Which operators at the hub may lock, unlock, rename and delete recordings from the page; without it none. A locked \
          one they have to unlock before they can delete it.
          """),
      ], check: checkRecording),
    SettingSection(
      "action_rule", .array, whole: \.actionRules, effect: .reload,
      """
      Who may have the device do its actions ([[action]] in device.toml, guides/doors.md). Read from the top, the first \
      that matches decides; without one no action is allowed.
      """, settings: ActionPolicyReader.settings, sample: sampleActionRules),
  ]

  private static func recordingCaller(_ text: String) throws(ConfigValueError) -> CallerPattern {
    if let pattern = CallerPattern(text) { return pattern }
    throw PolicyRuleKeys.callerError(text)
  }

  private static func checkRecording(_ table: ConfigTable, _ keys: inout RecordingKeys) {
    for key in ["allowed", "managers"] where table.isEmptyArray(key) {
      table.addError("\(key) is an empty list", remedy: "leave it out to permit no one", at: key)
    }
  }

  private static let sampleRules = """
    [[rule]]
    name = "one call at a time"
    call_up = true
    action = "reject"
    reason = "busy"

    [[rule]]
    name = "operators"
    caller = ["role:operator"]
    action = "answer"
    publish = ["audio", "video"]
    max_duration = "30m"
    record = true

    #[[rule]]
    #name = "family, by day"
    #caller = ["group:family"]
    #hours = "daily 08:00-22:00"
    #action = "answer"
    #record = true
    """

  private static let sampleActionRules = """
    [[action_rule]]
    name = "residents open the door"
    action = ["open-door"]
    caller = ["group:residents"]
    in_call = true
    at_most = "5 per 10m"
    """
}
