/// An action of the device.
public struct ActionSummary: Codable, Sendable, Hashable {
  public var name: String
  /// Whether the policy permits the caller to use it now, its limits and PIN aside.
  public var isAllowed: Bool
  public var needsPIN: Bool

  public init(name: String, isAllowed: Bool, needsPIN: Bool) {
    self.name = name
    self.isAllowed = isAllowed
    self.needsPIN = needsPIN
  }
}

public struct ListActionsReply: Codable, Sendable {
  public var actions: [ActionSummary]
  public init(actions: [ActionSummary]) { self.actions = actions }
}

public struct RunActionParameters: VarlinkParameters {
  public var name: String
  /// Secret.
  public var pin: String?

  public init(name: String, pin: String? = nil) {
    self.name = name
    self.pin = pin
  }
}
