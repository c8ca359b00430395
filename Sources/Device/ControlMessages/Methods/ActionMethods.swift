/// What the methods about actions have the daemon do.
public protocol ActionMethods: Sendable {
  /// The device's actions, as available to a person at the device.
  func actions() async throws -> [ActionSummary]
  /// Does an action for a person at the device; returns when its line is active or its program has ended.
  ///
  /// - Throws: ``DeviceControlError/actionRefused(name:message:)``.
  func runAction(name: String, pin: String?) async throws
}

extension MethodTable {
  static let actions: [InterfaceMethod] = [
    InterfaceMethod(
      .listActions, .full,
      "The device's actions, and whether the policy lets the caller use them now, limits and PINs aside."
    ) { control, _ in ListActionsReply(actions: try await control.actions()) },
    InterfaceMethod(.runAction, "Does an action. Replies when its line is active, or its program has ended.") {
      try await $0.runAction(name: $1.name, pin: $1.pin)
    },
  ]
}

extension DeviceMethod<NoParameters, ListActionsReply> {
  public static var listActions: Self { Self("ListActions") }
}

extension DeviceMethod<RunActionParameters, NoParameters> {
  public static var runAction: Self { Self("RunAction") }
}

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
