public import Signalling

/// What the methods about state, figures and settings have the daemon do.
public protocol StatusMethods: Sendable {
  func status() async throws -> DeviceStatus
  /// The figures of this moment.
  func telemetry() async throws -> DeviceTelemetry
  /// The users that are online at the hub, nearest first.
  func users() async throws -> [OnlineUser]
  /// The accounts at the hub that have titles; titles without one are left out.
  func resolveTitles(_ titles: [String]) async throws -> [TitledAccount]
  /// What the policy in force would decide about a call or the use of an action; recent use and wrong PINs aside.
  ///
  /// - Throws: ``DeviceControlError/invalidParameter(_:)``.
  func explainPolicy(_ parameters: PolicyExplainParameters) async throws -> PolicyExplainReply
  /// Reloads the policy and what can change of the configuration; after a mistake the old ones stay in force and
  /// ``DeviceControlError/invalidConfiguration(message:)`` is thrown.
  func reload() async throws
}

extension MethodTable {
  static let device: [InterfaceMethod] = [
    InterfaceMethod(.status, .monitoring) { control, _ in StatusReply(status: try await control.status()) },
    InterfaceMethod(
      .getTelemetry, .monitoring, "What has been counted and measured, for those who watch a device over time."
    ) { control, _ in TelemetryReply(telemetry: try await control.telemetry()) },
    InterfaceMethod(.users) { control, _ in UsersReply(users: try await control.users()) },
    InterfaceMethod(
      .resolveTitles, .full,
      """
      The ids of accounts at the hub, online or not, by 1 to 32 titles; a title that no account in the device's groups has
      is left out.
      """
    ) { ResolveTitlesReply(accounts: try await $0.resolveTitles($1.titles)) },
    InterfaceMethod(
      .monitor, .monitoring, "Call with \"more\". A client that does not read fast enough is disconnected."
    ) { call, _ in
      _ = try call.parameters(NoParameters.self)
      guard call.wantsMore, !call.isOneway else { throw VarlinkError.expectedMore }
      return .monitor
    },
    InterfaceMethod(
      .reload,
      "Reloads the policy and, of the configuration, what needs no restart; after InvalidConfiguration nothing has changed."
    ) { control, _ in try await control.reload() },
    InterfaceMethod(
      .policyExplain, .full,
      """
      What the policy in force would decide about a call of this user, or with action about the use of one, by whom (a
      person at the device without a caller), and why. Limits and wrong PINs are left aside. With isOutgoing whether the
      device may call this user, with isRecording whether this operator may have it record.
      """
    ) { try await $0.explainPolicy($1) },
  ]
}

extension DeviceMethod<NoParameters, StatusReply> {
  public static var status: Self { Self("Status") }
}

extension DeviceMethod<NoParameters, TelemetryReply> {
  public static var getTelemetry: Self { Self("GetTelemetry") }
}

extension DeviceMethod<NoParameters, UsersReply> {
  public static var users: Self { Self("Users") }
}

extension DeviceMethod<ResolveTitlesParameters, ResolveTitlesReply> {
  public static var resolveTitles: Self { Self("ResolveTitles") }
}

extension DeviceMethod<NoParameters, MonitorReply> {
  public static var monitor: Self { Self("Monitor") }
}

extension DeviceMethod<NoParameters, NoParameters> {
  public static var reload: Self { Self("Reload") }
}

extension DeviceMethod<PolicyExplainParameters, PolicyExplainReply> {
  public static var policyExplain: Self { Self("PolicyExplain") }
}

public struct StatusReply: Codable, Sendable {
  public var status: DeviceStatus
  public init(status: DeviceStatus) { self.status = status }
}

public struct UsersReply: Codable, Sendable {
  public var users: [OnlineUser]
  public init(users: [OnlineUser]) { self.users = users }
}

/// Titles for which the hub is asked, at most 32.
public struct ResolveTitlesParameters: VarlinkParameters {
  public var titles: [String]
  public init(titles: [String]) { self.titles = titles }
}

public struct ResolveTitlesReply: Codable, Sendable {
  /// Of the titles that accounts have.
  public var accounts: [TitledAccount]
  public init(accounts: [TitledAccount]) { self.accounts = accounts }
}

public struct MonitorReply: Codable, Sendable {
  public var event: DeviceEvent
  public init(event: DeviceEvent) { self.event = event }
}
