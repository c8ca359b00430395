public import Signalling

/// One rule about events: when all its conditions hold, its responses are carried out. A rule without conditions
/// matches every event.
public struct EventRule: Sendable, Hashable {
  /// Unique within a configuration.
  public var name: String
  /// Names of sources of events.
  public var sources: Set<String>?
  public var kinds: Set<EventKind>?
  /// Names of cameras; ``EventSubject/mainCamera`` for the main one.
  public var cameras: Set<String>?
  public var hours: [WeeklyHours]?
  /// 0 to 100.
  public var minimumScore: Int?
  /// Whether someone has to be at home, or no one.
  public var isHome: Bool?
  /// How often the rule may match.
  public var limit: UseLimit?
  /// From one match to the next.
  public var minimumGap: Duration?

  /// A rule without conditions.
  public init(name: String) { self.name = name }

  func check(_ event: EventSubject, _ circumstances: EventCircumstances) -> RuleCheck {
    let checks = [
      sources.map { Self.checkSource($0, event.source) }, kinds.map { Self.checkKind($0, event.kind) },
      cameras.map { Self.checkCamera($0, event.camera) },
      minimumScore.map { ConditionCheck(event.score >= $0, "the score is \(event.score), \($0) needed") },
      hours.map { PolicyCondition.checkHours($0, circumstances.localTimes) },
      isHome.map { ConditionCheck($0 == circumstances.isHome, circumstances.whoIsHome) },
      circumstances.waits[name].map {
        ConditionCheck(false, "it was used as often as it may; again in \(waitText($0))")
      },
    ].compactMap { $0 }
    return RuleCheck(checks.isEmpty ? [ConditionCheck(true, "it has no conditions")] : checks)
  }

  private static func checkSource(_ names: Set<String>, _ source: String) -> ConditionCheck {
    if names.contains(source) { return ConditionCheck(true, "it is about \"\(source)\"") }
    let others = names.sorted().map { "\"\($0)\"" }.joined(separator: " or ")
    return ConditionCheck(false, "\"\(source)\" is not \(others)")
  }

  private static func checkKind(_ kinds: Set<EventKind>, _ kind: EventKind) -> ConditionCheck {
    if kinds.contains(kind) { return ConditionCheck(true, "it is about \(kind.rawValue)") }
    return ConditionCheck(
      false, "\(kind.rawValue) is not \(kinds.map { $0.rawValue }.sorted().joined(separator: " or "))")
  }
}

extension EventRule {
  private static func checkCamera(_ cameras: Set<String>, _ camera: String?) -> ConditionCheck {
    guard let camera else { return ConditionCheck(false, "it was noticed by no camera") }
    if cameras.contains(camera) { return ConditionCheck(true, "it was noticed by camera \(camera)") }
    return ConditionCheck(
      false, "it was noticed by camera \(camera), not \(cameras.sorted().joined(separator: " or "))")
  }
}

/// Something that a source notices, as rules see it.
public struct EventSubject: Sendable, Hashable {
  public var kind: EventKind
  public var source: String
  /// 0 to 100.
  public var score: Int
  /// The camera in whose frames it was detected; nil for none.
  public let camera: String?

  /// The name of the main camera.
  public static let mainCamera = "device"

  /// - Parameter camera: the name of a further one.
  public init(kind: EventKind, source: String, score: Int, camera: String? = nil) {
    self.kind = kind
    self.source = source
    self.score = score
    self.camera = kind.facts.need == .camera ? camera ?? Self.mainCamera : nil
  }
}

/// What rules check besides the event.
public struct EventCircumstances: Sendable {
  public var isHome: Bool
  /// The local time in each of the policy's ``EventPolicy/timeZones``.
  public var localTimes: [PolicyTimeZone: LocalTime]
  /// Rules that were used as often as they may be, by their names, and for how long they match nothing more.
  public var waits: [String: Duration] = [:]

  public init(isHome: Bool, localTimes: [PolicyTimeZone: LocalTime] = [:]) {
    self.isHome = isHome
    self.localTimes = localTimes
  }

  fileprivate var whoIsHome: String { isHome ? "someone is at home" : "no one is at home" }
}

/// In whole seconds, at least one.
private func waitText(_ wait: Duration) -> String {
  let (seconds, attoseconds) = wait.components
  return durationText(.seconds(seconds + (attoseconds > 0 ? 1 : 0)))
}
