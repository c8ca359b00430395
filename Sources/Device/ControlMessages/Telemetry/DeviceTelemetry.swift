public import MediaPlaneAPI

/// The daemon's figures at one moment, for those who watch how a device does over time.
public struct DeviceTelemetry: Codable, Sendable, Hashable {
  public var calls: CallTelemetry
  public var hub: HubTelemetry
  public var media: MediaTelemetry
  public var system: SystemTelemetry
  /// The parts that do not work now: `hub`, `camera`, `microphone`, `speaker`, `archives`, `events`, `evidence`, `upload` …
  public var failingParts: [DevicePart]
  /// Absent where no uploads are configured.
  public var upload: UploadTelemetry?
  /// Absent where the device publishes to no server.
  public var publications: [PublicationTelemetry]?
  /// Absent where no broker is configured.
  public var mqtt: MQTTStatus?

  public init(
    calls: CallTelemetry, hub: HubTelemetry, media: MediaTelemetry, system: SystemTelemetry, failingParts: [DevicePart]
  ) {
    self.calls = calls
    self.hub = hub
    self.media = media
    self.system = system
    self.failingParts = failingParts
  }
}

/// How many calls there are and were.
public struct CallTelemetry: Codable, Sendable, Hashable {
  /// Calls that are not over, also those that ring.
  public var current: Int
  /// How many there may be at the same time.
  public var maximum: Int
  /// Calls that are over, since the daemon's start.
  public var incoming: CallOutcomes
  public var outgoing: CallOutcomes

  public init(current: Int, maximum: Int, incoming: CallOutcomes, outgoing: CallOutcomes) {
    self.current = current
    self.maximum = maximum
    self.incoming = incoming
    self.outgoing = outgoing
  }
}

/// Calls by outcome.
public struct CallOutcomes: Codable, Sendable, Hashable {
  /// Media flowed, and one side hung up or the maximum duration was reached.
  public var completed = 0
  /// Media flowed, and the connection or the other side was lost.
  public var dropped = 0
  /// One side or its rules refused it.
  public var rejected = 0
  /// It rang without an answer.
  public var unanswered = 0
  /// The caller gave up before it was answered.
  public var cancelled = 0
  /// It could not be set up.
  public var failed = 0

  public init() {}
}

/// The connection to the hub.
public struct HubTelemetry: Codable, Sendable, Hashable {
  /// Seconds that the event stream has been open; absent while there is none.
  public var connectedTime: Double?
  /// Times that it was reopened since the daemon's start.
  public var reconnects: Int

  public init(connectedTime: Double?, reconnects: Int) {
    self.connectedTime = connectedTime
    self.reconnects = reconnects
  }
}

/// The process and the machine.
public struct SystemTelemetry: Codable, Sendable, Hashable {
  /// One of the kernel's thermal zones (`/sys/class/thermal`).
  public struct Temperature: Codable, Sendable, Hashable {
    /// The zone's type as the driver has it, such as `cpu-thermal`.
    public var zone: String
    /// Degrees Celsius.
    public var celsius: Double

    public init(zone: String, celsius: Double) {
      self.zone = zone
      self.celsius = celsius
    }
  }

  /// Seconds since the daemon's start.
  public var uptime = 0.0
  /// Bytes of the daemon that are in memory; absent where the kernel does not say.
  public var residentMemory: Int64?
  /// Bytes of the machine's memory that programs may still take; absent where the kernel does not say.
  public var availableMemory: Int64?
  /// Seconds of processor time that the daemon has taken.
  public var processorTime: Double?
  /// Empty where the kernel has no thermal zones.
  public var temperatures: [Temperature] = []
  public var clockSynchronized = false

  public init() {}
}

public struct TelemetryReply: Codable, Sendable {
  public var telemetry: DeviceTelemetry
  public init(telemetry: DeviceTelemetry) { self.telemetry = telemetry }
}
