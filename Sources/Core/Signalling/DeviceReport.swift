/// How a device is, for who maintains many: it comes with heartbeats of ``PresenceUpdate``, and the hub keeps the last one.
///
/// It is what the device says of itself: texts are shown, and nothing else follows from them.
public struct DeviceReport: Codable, Sendable, Hashable {
  /// Of the daemon, as `1.2.3`.
  public var version: String
  /// Seconds since the daemon began.
  public var uptime: Int64
  /// The parts that do not work at the moment, as `camera` or `archives`, and a further camera as `camera yard`.
  public var problems: [String]
  /// What is wrong with the first of them, for people.
  public var problem: String?
  /// How many cameras are configured.
  public var cameras: Int
  /// Bytes that are free on the file system of recordings, and that it has; absent where they are not known.
  public var diskFree: Int64?
  public var diskCapacity: Int64?
  public var isClockSynchronized: Bool
  /// Of the warmest zone, in degrees Celsius; absent where none is known.
  public var temperature: Double?
  /// The kind of the last event, and when it began in milliseconds since 1970; absent where there was none.
  public var lastEvent: String?
  public var lastEventAt: Int64?
  /// See ``PresenceUpdate/permits``; the hub fills it in.
  public var permits: [String]?

  public init(version: String, uptime: Int64, cameras: Int, isClockSynchronized: Bool) {
    self.version = version
    self.uptime = uptime
    self.problems = []
    self.cameras = cameras
    self.isClockSynchronized = isClockSynchronized
  }

  /// The parts that ``problems`` may name; what a newer device names besides is `other`.
  public static let parts = [
    "hub", "camera", "microphone", "speaker", "archives", "events", "event-sources", "evidence", "event-rules", "state",
    "upload", "publish", "calls", "http", "mqtt",
  ]

  /// The part of a problem, without the name of a camera.
  public static func part(of problem: String) -> String {
    let part = problem.prefix { $0 != " " }
    return parts.contains { $0 == part } ? String(part) : "other"
  }

  /// What the hub should learn at once when it changes; the rest changes with each report.
  public var alarm: [String] {
    // A disk is known some time after the start.
    [version, "\(cameras)", "\(isClockSynchronized)", "\(diskCapacity ?? 0)"] + problems
  }
}

extension DeviceReport {
  public static let maxProblems = 8
  private static let maxVersionBytes = 32
  private static let maxProblemNameBytes = 40
  private static let maxProblemBytes = 160
  private static let maxEventBytes = 32
  private static let temperatures = -100.0...200.0
  /// Milliseconds since 1970 until the year 2500: later ones are no times.
  private static let times: ClosedRange<Int64> = 0...16_725_225_600_000

  /// The same within bounds that a store can rely on: texts are cut off and lose control characters, numbers that cannot be
  /// are left out.
  public var bounded: DeviceReport {
    var report = self
    report.version = version.bounded(Self.maxVersionBytes)
    report.uptime = max(0, uptime)
    report.problems = problems.prefix(Self.maxProblems).map { $0.bounded(Self.maxProblemNameBytes) }
    report.problem = problem.map { $0.bounded(Self.maxProblemBytes) }
    report.cameras = min(max(0, cameras), 99)
    report.diskFree = diskFree.flatMap { $0 < 0 ? nil : $0 }
    report.diskCapacity = diskCapacity.flatMap { $0 < 0 ? nil : $0 }
    report.temperature = temperature.flatMap { value in
      Self.temperatures.contains(value) ? (value * 10).rounded() / 10 : nil
    }
    report.lastEvent = lastEvent.map { $0.bounded(Self.maxEventBytes) }
    report.lastEventAt = lastEventAt.flatMap { Self.times.contains($0) ? $0 : nil }
    report.permits = permits.map { words in
      DevicePermission.allCases.map { $0.rawValue }.filter { words.contains($0) }
    }
    return report
  }
}

extension String {
  /// Whole scalars in at most so many bytes, without those that control a terminal or a line's direction.
  fileprivate func bounded(_ maximum: Int) -> String {
    var text = ""
    var count = 0
    for scalar in unicodeScalars where !scalar.isControl {
      count += UTF8.width(scalar)
      guard count <= maximum else { break }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}
