import CallPolicy
public import ControlMessages
public import EventDetection
public import EventRules

/// What the control socket asks about rules about events, and about who is at home.
public struct EventRuleControl: Sendable {
  /// Of what kind each source's events are.
  public var kinds: [String: EventKind]
  /// At which further camera a source looks, where it does.
  public var cameras: [String: String]
  public var judge: EventRuleJudge
  public var service: EventRuleService
  public var home: HomeFlag
  /// Notes whether somebody is at home, away from the shared pool.
  public var setHome: @Sendable (Bool) async throws -> Void

  public init(
    kinds: [String: EventKind], cameras: [String: String], judge: EventRuleJudge, service: EventRuleService,
    home: HomeFlag,
    setHome: @escaping @Sendable (Bool) async throws -> Void
  ) {
    self.kinds = kinds
    self.cameras = cameras
    self.judge = judge
    self.service = service
    self.home = home
    self.setHome = setHome
  }
}

extension EngineControl {
  public func explainEvent(source: String, score: Int) async throws -> EventExplanation {
    guard let rules = eventRules, let kind = rules.kinds[source] else {
      throw DeviceControlError.failed(message: "there is no [[event]] or [[geofence]] named \"\(source)\"")
    }
    return rules.judge.explain(
      EventSubject(kind: kind, source: source, score: score, camera: rules.cameras[source]))
  }

  public func setHome(_ isHome: Bool) async throws {
    guard let rules = eventRules else { throw DeviceControlError.failed(message: "this device keeps no such thing") }
    do {
      try await rules.setHome(isHome)
    } catch {
      throw DeviceControlError.failed(message: "\(error)")
    }
  }
}
