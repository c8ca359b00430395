internal import HubCore
internal import HubStore
internal import Logging
internal import ServiceLifecycle
internal import Signalling
internal import SystemSupport

/// What devices with an account report of themselves: the last report of each is kept, also while it is offline, and
/// those of this node are counted for Prometheus.
final class DeviceReports: Service {
  /// In milliseconds. Devices repeat their report every quarter of an hour; one that has not for so long counts no more.
  private static let lifetime: Int64 = 2_400_000
  /// More versions than this are counted together.
  private static let maxVersions = 32

  /// What is counted of a device.
  private struct Counted {
    var at: Int64
    var version: String
    var problems: [String]
  }

  private let store: any HubStore
  private let records: WaitingRecords<ReportRecord>
  private let counted = Mutex<[String: Counted]>([:])

  init(store: any HubStore, logger: Logger) {
    self.store = store
    records = WaitingRecords(every: .seconds(10), "what devices report", logger: logger) {
      try await store.noteReports($0)
    }
  }

  /// - Parameter update: whose report is kept, if it has one, with what the device permits.
  func note(_ principal: Principal, _ update: PresenceUpdate) {
    guard principal.role.hasAccount, principal.kind == .device, var report = update.report else { return }
    report.permits = update.permits
    let (id, now, bounded) = (principal.userID, TokenAuthority.nowInMilliseconds, report.bounded)
    records.put(ReportRecord(userID: id, at: now, report: bounded), of: id)
    counted.withLock { $0[id] = Counted(at: now, version: bounded.version, problems: bounded.problems) }
  }

  /// The last reports: what waits to be written counts.
  func latest(of userIDs: [String]) async throws -> [String: ReportRecord] {
    try await store.reports(userIDs).merging(records.waiting(userIDs)) { $1 }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await self.records.run { self.forgetOld() }
    }
  }

  private func forgetOld() {
    let oldest = TokenAuthority.nowInMilliseconds - Self.lifetime
    counted.withLock { counted in counted = counted.filter { $0.value.at > oldest } }
  }

  /// How many devices have reported to this node lately: by version, and by the parts that do not work.
  var figures: (versions: [String: Int], problems: [String: Int]) {
    counted.withLock { counted in
      var (versions, problems): ([String: Int], [String: Int]) = ([:], [:])
      for device in counted.values {
        let version = versions[device.version] != nil || versions.count < Self.maxVersions ? device.version : "other"
        versions[version, default: 0] += 1
        for part in Set(device.problems.map { DeviceReport.part(of: $0) }) { problems[part, default: 0] += 1 }
      }
      return (versions, problems)
    }
  }
}
