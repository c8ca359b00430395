/// The media side's figures at one moment. Counters run from the daemon's start on and never fall; "lately" stands for
/// the last seconds.
public struct MediaTelemetry: Codable, Sendable, Hashable {
  public var video = VideoTelemetry()
  /// Those of further cameras, in the configuration's order; absent without any.
  public var cameras: [CameraTelemetry]?
  public var microphone = MicrophoneTelemetry()
  public var playout = PlayoutTelemetry()
  /// Of the current sessions, sorted by their ids.
  public var sessions: [SessionTelemetry] = []
  public var archives = ArchiveTelemetry()
  /// Absent before the first survey of the disk.
  public var disk: DiskTelemetry?
  /// Absent while nothing processes the sound.
  public var sound: SoundTelemetry?

  public init() {}
}

/// The camera and the encoder of its video.
public struct VideoTelemetry: Codable, Sendable, Hashable {
  /// Frames that a source delivered, also while it was muted.
  public var framesCaptured = 0
  /// Frames that came damaged or could not be converted.
  public var framesDamaged = 0
  /// Frames that came while the encoder was busy with two others.
  public var framesDropped = 0
  /// Frames left out to lower the frame rate, because the bit rate is low.
  public var framesThinned = 0
  /// Frames that the encoder's rate control left out.
  public var framesSkipped = 0
  /// Including those that repeat the one before.
  public var framesEncoded = 0
  /// Frames that repeat the one before, because nothing had changed.
  public var framesRepeated = 0
  public var keyFrames = 0
  /// Bytes that the encoder made.
  public var bytes: Int64 = 0
  /// About what a still scene took less than the bit rate allowed.
  public var bytesSaved: Int64 = 0
  /// The share of the last frame that was still, 0 to 1; zero while nothing is captured.
  public var stillShare = 0.0
  /// Times that the camera failed and was closed.
  public var failures = 0
  /// Frames a second, lately; zero while nothing is captured.
  public var captureRate = 0.0
  public var encodeRate = 0.0
  /// Milliseconds that a frame takes to encode, on average lately.
  public var encodeTime = 0.0
  /// What the encoder is to make, in bits a second.
  public var targetBitrate = 0
  /// Pixels of what is encoded; zero before the first frame.
  public var width = 0
  public var height = 0

  public init() {}
}

/// A further camera.
public struct CameraTelemetry: Codable, Sendable, Hashable {
  public var name: String
  public var video: VideoTelemetry

  public init(name: String, video: VideoTelemetry) {
    self.name = name
    self.video = video
  }
}

/// The captured sound and its encoder.
public struct MicrophoneTelemetry: Codable, Sendable, Hashable {
  /// Packets of 20 ms.
  public var packetsEncoded = 0
  public var bytes: Int64 = 0
  /// Times that the card's buffer ran over, so that sound was lost.
  public var overruns = 0
  /// Times that the microphone failed and was closed.
  public var failures = 0

  public init() {}
}

/// The loudspeaker, all parties together; times in milliseconds.
public struct PlayoutTelemetry: Codable, Sendable, Hashable {
  public var packetsPlayed = 0
  /// Packets that came after their time, or twice.
  public var packetsLate = 0
  /// Packets left out: too many, too old, too long, or undecodable.
  public var packetsSkipped = 0
  /// Sound restored by forward error correction from the packet after it.
  public var recovered = 0
  /// Sound made up for packets that were lost or late.
  public var concealed = 0
  /// Sound taken out to shorten the delay.
  public var accelerated = 0
  /// Sound put in to lengthen the delay.
  public var expanded = 0
  /// Times that the card ran dry.
  public var underruns = 0
  /// How long sound waits in the jitter buffer, and how long the network's jitter asks for; the longest of those who talk.
  public var delay = 0
  public var targetDelay = 0

  public init() {}
}

/// What one session carries.
public struct SessionTelemetry: Codable, Sendable, Hashable {
  public var sessionID: String
  public var isConnected: Bool
  /// Bits a second as sent and received lately, all packets together.
  public var sendBitrate = 0
  public var receiveBitrate = 0
  /// What the path to the peer is thought to take, in bits a second; absent while nothing is sent.
  public var sendEstimate: Int?
  /// Milliseconds; absent before the first measurement.
  public var roundTripTime: Int?
  public var packetsSent: Int64 = 0
  public var packetsReceived: Int64 = 0
  public var bytesSent: Int64 = 0
  public var bytesReceived: Int64 = 0
  /// Packets of video that were sent again.
  public var packetsResent: Int64 = 0
  /// Packets that the peer has missed so far, as it reports (RFC 3550 §6.4.1); some came when they were sent again.
  public var sendPacketsLost: Int64 = 0
  /// The share of packets that the peer has missed by its last reports, 0 to 1, of the stream that fared worst.
  public var sendLoss: Double?
  /// Packets that have not come from the peer, of the sources that are received now; some came when they were sent again.
  public var receivePacketsLost: Int64 = 0

  public init(sessionID: String, isConnected: Bool) {
    self.sessionID = sessionID
    self.isConnected = isConnected
  }
}

/// The archives that are being recorded, and the outcome of others.
public struct ArchiveTelemetry: Codable, Sendable, Hashable {
  /// Archives that are being recorded now.
  public var open = 0
  /// Bytes of those on the disk by now.
  public var openBytes: Int64 = 0
  /// Frames of those that the disk was too slow for.
  public var openFramesDropped = 0
  /// Archives begun.
  public var started = 0
  /// Archives that could not be begun, or were ended by their disk.
  public var failures = 0
  /// What went wrong the last time; absent if nothing has.
  public var lastError: String?

  public init() {}
}

/// The disk that holds the archives, as of the last survey: at most a minute ago, or a second while there is a
/// recording.
public struct DiskTelemetry: Codable, Sendable, Hashable {
  /// Bytes that may still be written.
  public var free: Int64
  public var capacity: Int64
  /// Bytes that recording leaves free.
  public var minimumFree: Int64
  /// Bytes of all archives together.
  public var archives: Int64
  /// Bytes that all archives together may take; absent without a limit.
  public var maximumArchives: Int64?

  public init(free: Int64, capacity: Int64, minimumFree: Int64, archives: Int64, maximumArchives: Int64?) {
    self.free = free
    self.capacity = capacity
    self.minimumFree = minimumFree
    self.archives = archives
    self.maximumArchives = maximumArchives
  }
}

/// The state of echo cancellation and gain control.
public struct SoundTelemetry: Codable, Sendable, Hashable {
  /// Echo return loss enhancement: by how many decibels echo is lowered (ITU-T G.168); absent while nothing is played.
  public var echoReturnLossEnhancement: Double?
  /// Milliseconds from the loudspeaker to the microphone; absent before it is known.
  public var echoDelay: Double?
  /// How loud speech is, in decibels relative to full scale (0 is the loudest); absent during silence.
  public var speechLevel: Double?

  public init(echoReturnLossEnhancement: Double? = nil, echoDelay: Double? = nil, speechLevel: Double? = nil) {
    self.echoReturnLossEnhancement = echoReturnLossEnhancement
    self.echoDelay = echoDelay
    self.speechLevel = speechLevel
  }
}
