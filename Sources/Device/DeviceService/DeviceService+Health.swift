import CallEngine
import DeviceConfiguration
import EngineControl
import HubClient
import MediaCore
import RealtimeRuntime
import Signalling

/// When the hub gets a report: at once where something has begun or ceased to work, else four times an hour.
struct HealthReports {
  static let interval = TimeSpan.seconds(900)

  private var last: (alarm: [String], at: MonotonicInstant)?

  enum Step: Equatable {
    case none
    /// With the next heartbeat.
    case refresh
    /// With a heartbeat of its own.
    case alarm
  }

  mutating func step(_ report: DeviceReport, now: MonotonicInstant) -> Step {
    let step: Step
    switch last {
    case nil: step = .alarm
    case let (alarm, _)? where alarm != report.alarm: step = .alarm
    case let (_, at)?: step = now - at >= Self.interval ? .refresh : .none
    }
    if step != .none { last = (report.alarm, now) }
    return step
  }
}

extension DeviceService {
  private static let healthInterval = Duration.seconds(15)

  /// Hands the hub how the device is, until the task is cancelled.
  func reportHealth(_ parts: DeviceParts, _ hub: HubClient) async {
    var reports = HealthReports()
    repeat {
      guard let health = try? await parts.control.health() else { continue }
      let step = reports.step(health, now: MonotonicClock.now())
      guard step != .none else { continue }
      hub.setReport(await parts.control.complete(health, showsEvents: configuration.hub.showsTimeline))
      if step == .alarm { parts.engine.announcePresence() }
    } while (try? await Task.sleep(for: Self.healthInterval)) != nil
  }
}
