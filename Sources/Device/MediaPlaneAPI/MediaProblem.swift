public import MediaCore

/// What of a device may not work.
public enum DevicePart: String, Codable, Sendable, Hashable, CaseIterable {
  case hub
  case camera
  case microphone
  case speaker
  case archives
  /// The folder of what sources of events notice.
  case events
  /// What sources of events are to read: sensors, supplies, keys, lines.
  case eventSources = "event-sources"
  /// What proves that archives were not changed.
  case evidence
  /// What rules about events have done.
  case eventRules = "event-rules"
  /// The files that the daemon keeps across restarts.
  case state
  /// What archives are uploaded to.
  case upload
  /// Calls that find no path.
  case calls
  /// Control by HTTP.
  case http
  /// Servers to which the device publishes.
  case publish
  /// The connection to an MQTT broker.
  case mqtt

  public init(_ target: MuteTarget) {
    switch target {
    case .camera: self = .camera
    case .microphone: self = .microphone
    case .speaker: self = .speaker
    }
  }
}

/// What does not work, or last did not: it is kept when it is over, for a later inspection.
public struct MediaProblem: Sendable, Equatable {
  public var part: DevicePart
  /// The name of a further camera.
  public var camera: String?
  /// What is wrong, why, and what to do about it.
  public var text: String
  public var since: MonotonicInstant
  /// When it was over; nil while it lasts.
  public var until: MonotonicInstant?

  public init(
    part: DevicePart, camera: String? = nil, text: String, since: MonotonicInstant, until: MonotonicInstant? = nil
  ) {
    self.part = part
    self.camera = camera
    self.text = text
    self.since = since
    self.until = until
  }
}
