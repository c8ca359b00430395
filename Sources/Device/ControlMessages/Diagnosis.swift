/// The result of checking one part.
public struct Finding: Sendable, Hashable, Codable {
  public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
    case ok
    /// The device works, but not fully, or not everything could be checked.
    case warning
    /// Something does not work.
    case failure
  }

  /// What was checked; the raw values are an interface to other programs.
  public enum Part: String, Sendable, Hashable, Codable, CaseIterable {
    case daemon, configuration, policy, permissions, clock, camera, microphone, speaker, echo, archives, position, hub,
      network, buttons, actions, http, upload, publish, mqtt, state, speed
    case eventSources = "event-sources"
    case eventRules = "event-rules"
  }

  public var part: Part
  public var verdict: Verdict
  /// What was found, as text.
  public var text: String
  /// What to do about it; nil where nothing is, or `text` says it.
  public var remedy: String?

  public init(_ part: Part, _ verdict: Verdict, _ text: String, remedy: String? = nil) {
    self.part = part
    self.verdict = verdict
    self.text = text
    self.remedy = remedy
  }
}

/// What `livesessions doctor` has the daemon's program check, which runs for that alone.
public struct DiagnosisRequest: Sendable, Hashable, Codable {
  public var configurationPath: String
  public var policyPath: String
  /// The control socket; nil takes the one that the configuration names.
  public var socket: String?
  /// The user that the daemon runs as; nil is the packages' user if there is one, else the caller.
  public var user: String?

  public var scope: Scope

  public enum Scope: Sendable, Hashable, Codable {
    /// All parts of the device.
    case everything
    /// The machine's speed, and nothing else.
    case speed
    /// What keeps or rolls back an update. What fails is tried again until `limit` (seconds) is over.
    case gate(limit: Int64)
  }

  public init(
    configurationPath: String, policyPath: String, socket: String? = nil, user: String? = nil,
    scope: Scope = .everything
  ) {
    self.configurationPath = configurationPath
    self.policyPath = policyPath
    self.socket = socket
    self.user = user
    self.scope = scope
  }
}

/// What was found; its keys are an interface to other programs.
public struct DiagnosisReport: Sendable, Hashable, Codable {
  public var findings: [Finding]
  /// Where it was measured.
  public var speed: SpeedReport?
  /// What was asked for an update.
  public var gate: GateReport?

  public init(findings: [Finding], speed: SpeedReport? = nil, gate: GateReport? = nil) {
    self.findings = findings
    self.speed = speed
    self.gate = gate
  }

  /// Whether nothing fails.
  public var isGood: Bool { !findings.contains { $0.verdict == .failure } }
}

/// Whether an update may stay; its keys are an interface to other programs.
public struct GateReport: Sendable, Hashable, Codable {
  public var passes: Bool
  /// `passes: …` or `fails: …`, with what and why, in one line.
  public var line: String

  public init(passes: Bool, line: String) {
    self.passes = passes
    self.line = line
  }
}

/// What a machine takes for the stages of media, in milliseconds; its keys are an interface to other programs.
public struct SpeedReport: Sendable, Hashable, Codable {
  /// A frame of VP8 that moves.
  public struct Encoding: Sendable, Hashable, Codable {
    /// Pixels.
    public var width: Int
    public var height: Int
    /// That share a frame.
    public var threads: Int
    /// libvpx's `cpu-used`: the usual one, or the fastest where the usual one takes too long.
    public var speed: Int
    public var frameTime: Double
    /// Frames a second that can be encoded in real time with time to spare; 60 at most.
    public var frameRate: Int

    public init(width: Int, height: Int, threads: Int, speed: Int, frameTime: Double, frameRate: Int) {
      (self.width, self.height, self.threads) = (width, height, threads)
      (self.speed, self.frameTime, self.frameRate) = (speed, frameTime, frameRate)
    }
  }

  /// A frame that a camera delivers.
  public struct Capture: Sendable, Hashable, Codable {
    /// Pixels.
    public var width: Int
    public var height: Int
    /// To decode it from MJPEG.
    public var jpegTime: Double
    /// To convert it from YUYV.
    public var conversionTime: Double

    public init(width: Int, height: Int, jpegTime: Double, conversionTime: Double) {
      (self.width, self.height) = (width, height)
      (self.jpegTime, self.conversionTime) = (jpegTime, conversionTime)
    }
  }

  /// What `[video]` may ask for, with one camera.
  public struct Recommendation: Sendable, Hashable, Codable {
    /// Pixels.
    public var width: Int
    public var height: Int
    /// Frames a second.
    public var frameRate: Int
    /// Bits a second.
    public var bitrate: Int
    /// Of all processors, what frames from MJPEG take; 0 to 1.
    public var load: Double

    public init(width: Int, height: Int, frameRate: Int, bitrate: Int, load: Double) {
      (self.width, self.height, self.frameRate) = (width, height, frameRate)
      (self.bitrate, self.load) = (bitrate, load)
    }
  }

  /// That the daemon may use.
  public var processors: Int
  /// The smallest size first.
  public var encodings: [Encoding]
  /// At the largest size that suffices.
  public var capture: Capture
  /// To encode 20 ms of sound with Opus.
  public var soundTime: Double
  public var recommendation: Recommendation?

  public init(
    processors: Int, encodings: [Encoding], capture: Capture, soundTime: Double, recommendation: Recommendation?
  ) {
    (self.processors, self.encodings, self.capture) = (processors, encodings, capture)
    (self.soundTime, self.recommendation) = (soundTime, recommendation)
  }
}
