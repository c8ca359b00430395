/// One thing that a rule about events had done, for those who watch.
public struct EventRuleUse: Sendable, Hashable {
  public var eventID: String
  public var rule: String
  /// As text, such as `mail to ann@example.org`.
  public var effect: String
  /// Why it was not done; nil if it was.
  public var failure: String?

  public init(eventID: String, rule: String, effect: String, failure: String?) {
    self.eventID = eventID
    self.rule = rule
    self.effect = effect
    self.failure = failure
  }
}
