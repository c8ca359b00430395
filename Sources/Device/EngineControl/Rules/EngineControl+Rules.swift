public import CallPolicy
public import ControlMessages
public import EventRules

/// The control socket's requests about event rules, and about who is at home.
public struct EventRuleControl: Sendable {
  /// What rules would test of an event of this source and score; nil where no source has the name.
  public var makeSubject: @Sendable (_ source: String, _ score: Int) -> EventSubject?
  public var evaluator: EventRuleEvaluator
  public var service: EventRuleService
  public var home: HomeFlag
  /// Notes whether anyone is at home, away from the shared pool.
  public var setHome: @Sendable (Bool) async throws -> Void

  public init(
    makeSubject: @escaping @Sendable (_ source: String, _ score: Int) -> EventSubject?, evaluator: EventRuleEvaluator,
    service: EventRuleService, home: HomeFlag, setHome: @escaping @Sendable (Bool) async throws -> Void
  ) {
    self.makeSubject = makeSubject
    self.evaluator = evaluator
    self.service = service
    self.home = home
    self.setHome = setHome
  }
}

extension EngineControl {
  public func explainEvent(source: String, score: Int) async throws -> EventExplanation {
    guard let rules = eventRules, let subject = rules.makeSubject(source, score) else {
      throw DeviceControlError.failed(message: "there is no [[event]] or [[geofence]] named \"\(source)\"")
    }
    return rules.evaluator.explain(subject)
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
