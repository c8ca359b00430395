public import HubClient
public import MediaCore
public import MediaPlaneAPI

/// The engine at one moment.
public struct EngineStatus: Sendable {
  public var title: String
  public var userID: String?
  /// The title under which others see the device; `nil` before the first login.
  public var hubTitle: String?
  public var isHubConnected: Bool
  /// Why others cannot see or call the device, as text for people.
  public var outage: String?
  /// The last time without the hub, also when it is over.
  public var lastOutage: HubOutage?
  /// Whether rules that test hours can match.
  public var isClockSynchronized: Bool
  public var calls: [CallSnapshot]
  /// How many calls there may be at the same time.
  public var maximumSessions: Int
  /// The hunts that run, and of each name the one that ended last.
  public var hunts: [HuntSnapshot]
  public var muted: MuteState
  public var media: MediaPlaneStatus
  /// What a receiver says of the place; nil where none is asked.
  public var position: PositionReport?
  /// What the recording plans do, in the configuration's order.
  public var plans: [RecordingPlanState]
  /// When the status was taken.
  public var now: MonotonicInstant
}
