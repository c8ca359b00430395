public import MediaPlaneAPI

/// What the daemon does at this moment.
public struct DeviceStatus: Codable, Sendable, Hashable {
  public var version: String
  public var title: String
  /// The device's id at the hub; absent before the first login.
  public var userID: String?
  public var hubURL: String
  /// Whether others can find and call the device now.
  public var isOnline: Bool
  /// Whether the kernel trusts the wall clock; no rule with hours admits a call otherwise.
  public var clockSynchronized: Bool
  /// The time zone of overlay, mails, rules and plans, as text; absent from a daemon that does not report it.
  public var timeZone: String?
  /// Milliseconds since 1970.
  public var startedAt: Int64
  /// The title under which others see the device; absent before the first login.
  public var hubTitle: String?
  /// Why others cannot see or call the device, as text for people; absent while they can.
  public var outage: String?
  public var sessions: [SessionStatus]
  /// How many sessions there may be at the same time, the last of which is kept for operators.
  public var maximumSessions: Int?
  public var devices: [MediaDeviceStatus]
  /// The archives that run.
  public var recordings: [RecordingStatus]
  /// What the receiver says of the place; absent where none is asked.
  public var position: PositionStatus?
  /// Where archives lie.
  public var archiveDirectory: String?
  /// Why archives cannot be written there as they should, and what to do about it; absent if all is well.
  public var archiveProblem: String?
  /// The recording plans, in the configuration's order; absent from a daemon that knows none.
  public var plans: [PlanStatus]?
  /// The last problem of each part, such as the camera; absent from a daemon that keeps none.
  public var problems: [ProblemStatus]?
  /// What uploads have come to; absent where none is configured.
  public var upload: UploadStatus?
  /// The servers to which the device publishes; absent where there are none.
  public var publications: [PublicationStatus]?
  /// The connection to an MQTT broker; absent where none is configured.
  public var mqtt: MQTTStatus?
  /// Those who are being called until one answers, and the outcome of the last hunt of each name.
  public var hunts: [HuntStatus]?
  /// Whether anyone is at home, which rules about events may test; absent from a daemon that does not know.
  public var isHome: Bool?

  public init(
    version: String, title: String, userID: String?, hubURL: String, isOnline: Bool, clockSynchronized: Bool,
    startedAt: Int64, hubTitle: String? = nil, outage: String? = nil, sessions: [SessionStatus],
    devices: [MediaDeviceStatus], recordings: [RecordingStatus] = []
  ) {
    self.version = version
    self.title = title
    self.userID = userID
    self.hubURL = hubURL
    self.isOnline = isOnline
    self.clockSynchronized = clockSynchronized
    self.startedAt = startedAt
    self.hubTitle = hubTitle
    self.outage = outage
    self.sessions = sessions
    self.devices = devices
    self.recordings = recordings
  }
}

/// What a recording plan does.
public struct PlanStatus: Codable, Sendable, Hashable {
  public var name: String
  public var isRecording: Bool
  /// What it does, and why it does not record, as text for people.
  public var text: String

  public init(name: String, isRecording: Bool, text: String) {
    self.name = name
    self.isRecording = isRecording
    self.text = text
  }
}

/// Several who are called until one answers.
public struct HuntStatus: Codable, Sendable, Hashable {
  /// The name of a button or of a rule about events, or `call` for the command line.
  public var name: String
  /// `calling`, `answered` or `ended`.
  public var state: String
  /// What it does, or its outcome, as text.
  public var text: String
  /// Milliseconds since 1970.
  public var startedAt: Int64

  public init(name: String, state: String, text: String, startedAt: Int64) {
    self.name = name
    self.state = state
    self.text = text
    self.startedAt = startedAt
  }
}

/// What is known of gpsd's positions.
public struct PositionStatus: Codable, Sendable, Hashable {
  /// Seconds since the last plausible one; absent if there was none.
  public var age: Int?
  /// When that was, in milliseconds since 1970.
  public var since: Int64?
  /// Whether it is too old, and therefore not published.
  public var isStale: Bool
  /// Positions that were left out because they cannot be true.
  public var refused: Int
  /// Why the newest was left out; absent if it was not.
  public var doubt: String?

  public init(age: Int?, since: Int64?, isStale: Bool, refused: Int, doubt: String?) {
    self.age = age
    self.since = since
    self.isStale = isStale
    self.refused = refused
    self.doubt = doubt
  }
}

/// One call.
public struct SessionStatus: Codable, Sendable, Hashable {
  public var sessionID: String
  public var callerID: String
  public var callerTitle: String
  /// Whom the device calls; absent for a call that came in.
  public var receiverID: String?
  public var receiverTitle: String?
  /// `calling`, `ringing`, `connecting`, `connected` …
  public var state: String
  public var isAudio: Bool
  public var isVideo: Bool
  /// Milliseconds since 1970.
  public var startedAt: Int64
  /// The policy rule that answered it.
  public var policyRule: String?
  /// The archive that records it.
  public var archiveID: String?
  /// Bits per second over the last seconds.
  public var sendBitrate: Int?
  public var receiveBitrate: Int?
  /// Milliseconds.
  public var roundTripTime: Int?
  /// What the other party sees of the device: the name of a camera, `device` for the main one, `mosaic` for all in one
  /// frame; absent where the call carries no video.
  public var camera: String?
  /// How many phones of the receiver ring, besides its pages; absent for none.
  public var phones: Int?
  /// How many pages of the receiver see the preview while it rings; absent for none.
  public var previews: Int?
  /// What the call lacks, why, and what helps; absent where nothing is known to be missing.
  public var notes: [String]?

  public init(
    sessionID: String, callerID: String, callerTitle: String, state: String, isAudio: Bool, isVideo: Bool,
    startedAt: Int64, policyRule: String? = nil, archiveID: String? = nil, sendBitrate: Int? = nil,
    receiveBitrate: Int? = nil, roundTripTime: Int? = nil
  ) {
    self.sessionID = sessionID
    self.callerID = callerID
    self.callerTitle = callerTitle
    self.state = state
    self.isAudio = isAudio
    self.isVideo = isVideo
    self.startedAt = startedAt
    self.policyRule = policyRule
    self.archiveID = archiveID
    self.sendBitrate = sendBitrate
    self.receiveBitrate = receiveBitrate
    self.roundTripTime = roundTripTime
  }
}

/// An archive that runs.
public struct RecordingStatus: Codable, Sendable, Hashable {
  public var archiveID: String
  /// Absent when it records the device alone.
  public var sessionID: String?
  /// Milliseconds since 1970.
  public var startedAt: Int64
  /// Bytes on the disk by now.
  public var size: Int64
  /// Frames that the disk was too slow for.
  public var droppedFrames: Int
  /// Milliseconds of it that are not on the disk yet: what a power cut would cost now.
  public var unflushed: Int64 = 0

  public init(archiveID: String, sessionID: String?, startedAt: Int64, size: Int64, droppedFrames: Int) {
    self.archiveID = archiveID
    self.sessionID = sessionID
    self.startedAt = startedAt
    self.size = size
    self.droppedFrames = droppedFrames
  }
}

/// A user that is online at the hub.
public struct OnlineUser: Codable, Sendable, Hashable {
  public var userID: String
  public var userTitle: String
  /// `device` or `person`.
  public var kind: String
  /// `available`, `busy` or `do-not-disturb`.
  public var status: String
  /// Metres from this device, when known.
  public var distance: Double?

  public init(userID: String, userTitle: String, kind: String, status: String, distance: Double? = nil) {
    self.userID = userID
    self.userTitle = userTitle
    self.kind = kind
    self.status = status
    self.distance = distance
  }
}
