import Archive
import ControlMessages
import DeviceEvents
import MediaPlaneAPI
public import Signalling

/// How the device is, as the hub may know it, in steps: what comes from the disk is read for a report alone.
extension EngineControl {
  /// What works and what does not, and the figures that are at hand.
  public func health() async throws -> DeviceReport {
    let status = try await status()
    let figures = await telemetryCollector.collect(failingParts: [])
    let cameras = status.devices.count { $0.target == .camera && $0.name != "none" }
    var report = DeviceReport(
      version: status.version, uptime: Int64(max(0, figures.system.uptime)), cameras: cameras,
      isClockSynchronized: status.clockSynchronized)
    // Who reads it at the hub sees that the device is there.
    let problems = (status.problems ?? []).filter { $0.lasts && $0.part != .hub }
    report.problems = problems.map(\.title)
    report.problem = problems.first?.text
    if let disk = figures.media.disk {
      (report.diskFree, report.diskCapacity) = (disk.free, disk.capacity)
    } else if let disk = status.archiveDirectory.flatMap({ DiskState(nearest: $0) }) {
      // Before the first recording.
      (report.diskFree, report.diskCapacity) = (Int64(clamping: disk.free), Int64(clamping: disk.capacity))
    }
    report.temperature = figures.system.temperatures.map(\.celsius).max()
    return report
  }

  /// The report with the last event, where the hub may know of events.
  public func complete(_ report: DeviceReport, showsEvents: Bool) async -> DeviceReport {
    var report = report
    let events = showsEvents ? await eventCenter?.events(since: 0, limit: 1) : nil
    if let last = events?.first { (report.lastEvent, report.lastEventAt) = (last.kind, last.start) }
    return report.bounded
  }
}
