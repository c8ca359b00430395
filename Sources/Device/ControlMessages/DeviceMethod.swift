/// The input of a method, as a Varlink call's `parameters` object.
public protocol VarlinkParameters: Codable, Sendable {}

extension VarlinkParameters {
  /// Every field's name; a call that has others is refused.
  static var fieldNames: [String] { MessageSchema(of: Self.self).fields.map(\.name) }
}

/// A method of ``DeviceInterface``: its name on the wire, and what it takes and returns.
///
/// What it does, who may call it and what it is for stands in the daemon's table of methods.
public struct DeviceMethod<Parameters: VarlinkParameters, Reply: Codable & Sendable>: Sendable {
  /// Without the interface.
  public let name: String

  init(_ name: String) { self.name = name }

  /// The name on the wire, with its interface.
  public var qualifiedName: String { "\(DeviceInterface.name).\(name)" }
}

/// The Varlink interface `org.livesessions.Device`.
public enum DeviceInterface {
  public static let name = "org.livesessions.Device"
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

extension DeviceMethod<CallParameters, CallReply> {
  public static var call: Self { Self("Call") }
}

extension DeviceMethod<HuntParameters, HuntReply> {
  public static var hunt: Self { Self("Hunt") }
}

extension DeviceMethod<SessionParameters, NoParameters> {
  public static var answer: Self { Self("Answer") }
  public static var hangUp: Self { Self("HangUp") }
}

extension DeviceMethod<RejectParameters, NoParameters> {
  public static var reject: Self { Self("Reject") }
}

extension DeviceMethod<MuteParameters, NoParameters> {
  public static var mute: Self { Self("Mute") }
}

extension DeviceMethod<NoParameters, NoParameters> {
  public static var swapCamera: Self { Self("SwapCamera") }
  public static var reload: Self { Self("Reload") }
}

extension DeviceMethod<ChooseCameraParameters, NoParameters> {
  public static var chooseCamera: Self { Self("ChooseCamera") }
}

extension DeviceMethod<SnapshotParameters, SnapshotReply> {
  public static var snapshot: Self { Self("Snapshot") }
}

extension DeviceMethod<SayParameters, NoParameters> {
  public static var say: Self { Self("Say") }
}

extension DeviceMethod<ChatParameters, NoParameters> {
  public static var chat: Self { Self("Chat") }
}

extension DeviceMethod<NoParameters, ListActionsReply> {
  public static var listActions: Self { Self("ListActions") }
}

extension DeviceMethod<RunActionParameters, NoParameters> {
  public static var runAction: Self { Self("RunAction") }
}

extension DeviceMethod<ArchiveStartParameters, ArchiveIDsReply> {
  public static var archiveStart: Self { Self("ArchiveStart") }
}

extension DeviceMethod<ArchiveParameters, ArchiveIDsReply> {
  public static var archiveStop: Self { Self("ArchiveStop") }
}

extension DeviceMethod<ArchiveListParameters, ArchiveListReply> {
  public static var archiveList: Self { Self("ArchiveList") }
}

extension DeviceMethod<ArchiveParameters, ArchiveVerifyReply> {
  public static var archiveVerify: Self { Self("ArchiveVerify") }
}

extension DeviceMethod<OneArchiveParameters, ArchiveShowReply> {
  public static var archiveShow: Self { Self("ArchiveShow") }
}

extension DeviceMethod<OneArchiveParameters, ArchiveRepairReply> {
  public static var archiveRepair: Self { Self("ArchiveRepair") }
}

extension DeviceMethod<ArchiveLockParameters, NoParameters> {
  public static var archiveLock: Self { Self("ArchiveLock") }
}

extension DeviceMethod<ArchiveRenameParameters, NoParameters> {
  public static var archiveRename: Self { Self("ArchiveRename") }
}

extension DeviceMethod<ArchiveDeleteParameters, NoParameters> {
  public static var archiveDelete: Self { Self("ArchiveDelete") }
}

extension DeviceMethod<EventListParameters, EventListReply> {
  public static var eventList: Self { Self("EventList") }
}

extension DeviceMethod<EventExplainParameters, EventExplainReply> {
  public static var eventExplain: Self { Self("EventExplain") }
}

extension DeviceMethod<PolicyExplainParameters, PolicyExplainReply> {
  public static var policyExplain: Self { Self("PolicyExplain") }
}

extension DeviceMethod<SetHomeParameters, NoParameters> {
  public static var setHome: Self { Self("SetHome") }
}

extension DeviceMethod<NoParameters, MonitorReply> {
  public static var monitor: Self { Self("Monitor") }
}
