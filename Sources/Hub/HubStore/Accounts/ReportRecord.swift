public import Signalling

/// What a device reported last, as stores keep it.
public struct ReportRecord: Sendable, Equatable {
  public var userID: String
  /// Milliseconds since 1970.
  public var at: Int64
  public var report: DeviceReport

  public init(userID: String, at: Int64, report: DeviceReport) {
    (self.userID, self.at, self.report) = (userID, at, report)
  }
}

/// A record without its user, with short keys: a hub has a million of them.
public struct StoredReport: Codable, Sendable {
  public var at: Int64
  private var version: String
  private var uptime: Int64
  private var problems: [String]?
  private var problem: String?
  private var cameras: Int
  private var diskFree: Int64?
  private var diskCapacity: Int64?
  private var isClockSynchronized: Bool
  private var temperature: Double?
  private var lastEvent: String?
  private var lastEventAt: Int64?
  private var permits: [String]?

  private enum CodingKeys: String, CodingKey {
    case at = "a"
    case version = "v"
    case uptime = "u"
    case problems = "p"
    case problem = "t"
    case cameras = "c"
    case diskFree = "f"
    case diskCapacity = "d"
    case isClockSynchronized = "k"
    case temperature = "h"
    case lastEvent = "e"
    case lastEventAt = "w"
    case permits = "m"
  }

  public init(_ record: ReportRecord) {
    let report = record.report
    (at, version, uptime) = (record.at, report.version, report.uptime)
    problems = report.problems.isEmpty ? nil : report.problems
    (problem, cameras) = (report.problem, report.cameras)
    (diskFree, diskCapacity) = (report.diskFree, report.diskCapacity)
    (isClockSynchronized, temperature) = (report.isClockSynchronized, report.temperature)
    (lastEvent, lastEventAt, permits) = (report.lastEvent, report.lastEventAt, report.permits)
  }

  public func record(of userID: String) -> ReportRecord {
    var report = DeviceReport(
      version: version, uptime: uptime, cameras: cameras, isClockSynchronized: isClockSynchronized)
    (report.problems, report.problem) = (problems ?? [], problem)
    (report.diskFree, report.diskCapacity, report.temperature) = (diskFree, diskCapacity, temperature)
    (report.lastEvent, report.lastEventAt, report.permits) = (lastEvent, lastEventAt, permits)
    return ReportRecord(userID: userID, at: at, report: report)
  }
}
