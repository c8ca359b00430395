import CallPolicy
import ConfigFile
import Signalling

/// `[[rule]]` as the file has it: what it tests, and what it decides.
struct PolicyRuleKeys: SettingGroup {
  enum Action: String, CaseIterable { case answer, reject, ring }
  enum Outcome: String, CaseIterable { case answer, reject }

  var name: String?
  var callers: [CallerPattern]?
  var media: [PolicyMedium]?
  var hours: [WeeklyHours]?
  var distance: Double?
  var isCallUp: Bool?
  var recentCalls: PolicyCondition?

  var action: Action?
  var reason: RejectReason?
  var ringTimeout = Duration.seconds(30)
  var outcome = Outcome.reject
  var answer = AnswerKeys()

  static let settings: [Setting<PolicyRuleKeys>] =
    [
      Setting(
        "name", \.name, .string, example: "\"operators\"",
        "The rule's name, for logs and explanations; no two have the same."),
      Setting(
        "caller", \.callers, .texts("list of callers", parse: caller), example: "[\"role:operator\"]",
        """
        Any of `"user:ID"`, `"group:NAME"` and `"role:NAME"`, as the hub authenticated them; roles are operator, user, \
        device and anonymous.
        """),
      Setting("media", \.media, .choices(), example: "[\"video\"]", "The call asks for at least these."),
      Setting(
        "hours", \.hours, .weeklyHours, example: "\"Mon-Fri 07:00-19:00 Europe/Berlin\"",
        """
        Without a zone the device's own. Hours are unknown while the clock is not synchronised or the file of a zone is \
        gone.
        """),
      Setting(
        "within", \.distance, .distance, example: "\"200mi\"",
        """
        A distance that callers report themselves, so never alone; m, km or mi. It is unknown while either position is.
        """),
      Setting("call_up", \.isCallUp, .bool, example: "true", "A call is already up, or none is."),
      Setting(
        "recent_calls", \.recentCalls, SettingType("table of at_least and last", read: recentCalls),
        example: "{ at_least = 3, last = \"10m\" }", "Earlier calls of the same caller."),
      Setting(
        "action", \.action, .choice(), example: "\"answer\"", isRequired: true,
        """
        What the rule decides. `"ring"` leaves it to people at the device. What is unknown lets no caller in: such a \
        rule matches if it rejects, does not match if it answers, and rings only where the rules below it would admit \
        the call more freely. `livesessions config check` names the rules that this can happen to.
        """),
      Setting(
        "reason", \.reason, .choice(), example: "\"busy\"",
        "Of a rejection: declined without it, and unanswered where it rang and there was no decision."),
      Setting("ring_timeout", \.ringTimeout, .duration(.seconds(1)...(.seconds(60))), "How long it rings."),
      Setting("then", \.outcome, .choice(), "What follows when it rang and there was no decision."),
    ] + AnswerKeys.settings.lifted(\.answer)

  func conditions(_ table: ConfigTable) -> [PolicyCondition] {
    if table.isEmptyArray("media") {
      table.addError("media is an empty list", remedy: "leave it out to match any", at: "media")
    }
    let found: [PolicyCondition?] = [
      callers.map { .caller($0) },
      media.map { .media(audio: $0.contains(.audio), video: $0.contains(.video)) },
      hours.map { .hours($0) }, distance.map { .within(metres: $0) }, isCallUp.map { .callUp($0) }, recentCalls,
    ]
    return found.compactMap(\.self)
  }

  // MARK: Values

  private static func caller(_ text: String) throws(ConfigValueError) -> CallerPattern {
    if let pattern = CallerPattern(text) { return pattern }
    throw callerError(text)
  }

  /// - Parameter others: what else could be written there.
  static func callerError(_ text: String, also others: String? = nil) -> ConfigValueError {
    let role = text.hasPrefix("role:") ? closestMatch(to: String(text.dropFirst(5)), among: roles) : nil
    let remedy = role.map { "did you mean \"role:\($0)\"?" }
    return ConfigValueError(
      "\"\(text)\" is not a caller",
      remedy: remedy
        ?? "write \(others.map { "\($0), " } ?? "")user:ID, group:NAME or role: with one of \(roles.joined(separator: ", "))"
    )
  }

  private static let roles = CallerRole.allCases.map(\.rawValue)

  private static func recentCalls(_ table: ConfigTable, _ key: String) -> PolicyCondition? {
    guard table.node(key) != nil else { return nil }
    let recent = table.table(key)
    for (key, example) in [("at_least", "3"), ("last", "\"10m\"")] where !recent.contains(key) {
      recent.addMissing(key, example: example)
    }
    guard let count = recent.integer("at_least", in: 1...1_000),
      let span = recent.duration("last", in: .seconds(1)...(.seconds(86_400)))
    else { return nil }
    return .recentCalls(count: count, span: span)
  }
}

/// How a call is answered, as a rule's table has it.
struct AnswerKeys: SettingGroup {
  private var answer = AnswerSettings()
  private var media = PolicyMedium.allCases
  private var control = RemoteControl.allCases

  static let settings: [Setting<AnswerKeys>] = [
    Setting(
      "after", \.answer.delay, .duration(.zero...(.seconds(55))), "How long the caller hears ringing before the answer."
    ),
    Setting("publish", \.media, .choices(), "What is sent of what the caller asks for."),
    Setting("talk", \.answer.mayTalk, .bool, "Whether the caller is heard at the device."),
    Setting(
      "max_talkers", \.answer.maxTalkers, .integer(1...64),
      """
      While this many callers talk, a further one is not heard, but watches and listens. Callers who talk hear each \
      other as well as the device.
      """),
    Setting(
      "max_duration", \.answer.maxDuration, .duration(.seconds(1)...(.seconds(7 * 86_400))), example: "\"10m\"",
      "The call is ended after this time; without it there is no limit."),
    Setting("record", \.answer.isRecorded, .bool, "Whether the call is recorded."),
    Setting("tone", \.answer.playsTone, .bool, "People near the device hear that a call begins."),
    Setting(
      "control", \.control, .choices(),
      """
      What a caller who is an operator may do at the device during the call; `[]` is nothing. Such a mute ends with the \
      call; what was muted with `livesessions mute` stays so until `livesessions unmute`.
      """),
    Setting(
      "camera", "name", example: "\"yard\"",
      """
      What callers see: a [[camera]] of device.toml, `"device"`, the camera of [video], or `"mosaic"`, all in one frame; \
      then no other can be chosen during the call. Without it they see the main camera at first.
      """),
  ]

  /// - Parameter cameras: the names of what there is to see; nil where they are not known.
  func settings(_ table: ConfigTable, cameras: [String]?) -> AnswerSettings {
    var settings = answer
    settings.publishesAudio = media.contains(.audio)
    settings.publishesVideo = media.contains(.video)
    settings.control = Set(control)
    settings.camera = table.view(among: cameras, publishesVideo: settings.publishesVideo)
    return settings
  }
}
