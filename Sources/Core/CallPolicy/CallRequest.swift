/// An incoming call as the policy sees it: what the hub authenticated and what the caller requests.
public struct CallRequest: Sendable, Hashable {
  public var callerID: String
  public var callerRole: CallerRole
  public var callerGroups: [String]
  public var isAudio: Bool
  public var isVideo: Bool
  /// Metres between the parties by their own reports; nil when a position is unknown.
  public var distance: Double?

  public init(
    callerID: String, callerRole: CallerRole, callerGroups: [String] = [], isAudio: Bool, isVideo: Bool,
    distance: Double? = nil
  ) {
    self.callerID = callerID
    self.callerRole = callerRole
    self.callerGroups = callerGroups
    self.isAudio = isAudio
    self.isVideo = isVideo
    self.distance = distance
  }
}

/// A user's role at the hub.
public enum CallerRole: String, Sendable, CaseIterable {
  case `operator`
  case user
  case device
  case anonymous
  /// Has an invitation in place of an account.
  case guest
  /// Only receives, by WHEP: the hub calls for it by an account's token or a link.
  case viewer

  /// Reads the role that a hub names; one that this version does not know has the least rights.
  public init(hubName: String) { self = CallerRole(rawValue: hubName) ?? .anonymous }
}

/// The device's state when a call comes in.
public struct CallCircumstances: Sendable {
  /// How many calls are up.
  public var callsUp: Int
  /// How long ago the same caller's earlier calls came in.
  public var recentCalls: [Duration]
  /// The local time in each of the policy's ``CallPolicy/timeZones``.
  public var localTimes: [PolicyTimeZone: LocalTime]

  public init(
    callsUp: Int = 0, recentCalls: [Duration] = [], localTimes: [PolicyTimeZone: LocalTime] = [:]
  ) {
    self.callsUp = callsUp
    self.recentCalls = recentCalls
    self.localTimes = localTimes
  }
}
