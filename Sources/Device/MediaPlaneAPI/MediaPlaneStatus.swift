public import MediaCore
public import Signalling

/// A snapshot of the media plane.
public struct MediaPlaneStatus: Sendable, Equatable {
  public typealias Device = MediaDeviceStatus

  /// Counters of one session.
  public struct Session: Sendable, Equatable {
    public var sessionID: SessionID
    public var isConnected: Bool
    /// Bits per second, as sent and received over the last seconds.
    public var sendBitrate: Int
    public var receiveBitrate: Int
    /// Milliseconds, when known.
    public var roundTripTime: Int?

    public init(
      sessionID: SessionID, isConnected: Bool, sendBitrate: Int, receiveBitrate: Int, roundTripTime: Int? = nil
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
    public var archiveID: ArchiveID
    /// Nil for one of the device alone.
    public var sessionID: SessionID?
    public var startedAt: MonotonicInstant
    /// What is on the disk by now, in bytes.
    public var size: UInt64
    /// Frames that the disk was too slow for.
    public var droppedFrames: Int
    /// How much of it a power cut would cost now.
    public var unflushed = TimeSpan.zero

    public init(
      archiveID: ArchiveID, sessionID: SessionID?, startedAt: MonotonicInstant, size: UInt64, droppedFrames: Int
    ) {
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
  /// The last problem of each part that had one.
  public var problems: [MediaProblem] = []

  public init(devices: [Device] = [], sessions: [Session] = [], archives: [Archive] = []) {
    self.devices = devices
    self.sessions = sessions
    self.archives = archives
  }
}
