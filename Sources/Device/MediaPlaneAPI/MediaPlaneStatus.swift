public import MediaCore

/// A snapshot of the media plane.
public struct MediaPlaneStatus: Sendable, Equatable {
  /// One capture or playback device.
  public struct Device: Sendable, Equatable {
    public var target: MuteTarget
    /// The configured name, for example `/dev/video0` or `test:bars`.
    public var name: String
    /// `idle`, `opening`, `streaming`, `stalled` …
    public var state: String
    public var isMuted: Bool
    /// What it delivers, for people: its format, size and rate; nil while it is closed.
    public var details: String?
    /// Pictures per second over the last seconds; of a camera that is open.
    public var frameRate: Double?
    /// Pictures that came damaged or were left out, since the start; of a camera.
    public var dropped: Int?
    /// Times that a sound card's buffer ran over or dry, since the start; of microphone and speaker.
    public var xruns: Int?
    /// Times that it failed and was opened anew, since the start; of camera and microphone.
    public var failures: Int?

    public init(target: MuteTarget, name: String, state: String, isMuted: Bool) {
      self.target = target
      self.name = name
      self.state = state
      self.isMuted = isMuted
    }
  }

  /// Counters of one session.
  public struct Session: Sendable, Equatable {
    public var sessionID: String
    public var isConnected: Bool
    /// Bits per second, as sent and received over the last seconds.
    public var sendBitrate: Int
    public var receiveBitrate: Int
    /// Milliseconds, when known.
    public var roundTripTime: Int?

    public init(
      sessionID: String, isConnected: Bool, sendBitrate: Int, receiveBitrate: Int, roundTripTime: Int? = nil
    ) {
      self.sessionID = sessionID
      self.isConnected = isConnected
      self.sendBitrate = sendBitrate
      self.receiveBitrate = receiveBitrate
      self.roundTripTime = roundTripTime
    }
  }

  /// An archive that runs.
  public struct Archive: Sendable, Equatable {
    public var archiveID: String
    /// Empty for one of the device alone.
    public var sessionID: String
    public var startedAt: MonotonicInstant
    /// What is on the disk by now, in bytes.
    public var size: UInt64
    /// Frames that the disk was too slow for.
    public var droppedFrames: Int

    public init(archiveID: String, sessionID: String, startedAt: MonotonicInstant, size: UInt64, droppedFrames: Int) {
      self.archiveID = archiveID
      self.sessionID = sessionID
      self.startedAt = startedAt
      self.size = size
      self.droppedFrames = droppedFrames
    }
  }

  public var devices: [Device]
  public var sessions: [Session]
  public var archives: [Archive]
  /// Where archives lie.
  public var archiveDirectory: String?
  /// Why they cannot be written there as they should, and what to do about it.
  public var archiveProblem: String?

  public init(devices: [Device] = [], sessions: [Session] = [], archives: [Archive] = []) {
    self.devices = devices
    self.sessions = sessions
    self.archives = archives
  }
}
