import CallEngine
import CallPolicy
import ConfigFile
import ControlMessages
import DeviceConfiguration
import JournalLogging
import Logging

/// What can be changed while calls are up: the policy, and the settings whose description says so. Of all else the journal
/// says that it takes effect after a restart.
struct ConfigurationReload: Sendable {
  let options: DeviceService.Options
  /// With which the daemon was started.
  let started: DeviceConfiguration
  let logLevel: SharedLogLevel
  let logger: Logger

  /// Reloads policy and configuration; a mistake in either leaves both as they were.
  ///
  /// - Returns: what is in force from now on.
  func read() throws -> (EngineSettings, DeviceConfiguration) {
    let policy: CallPolicy
    var effective = started
    do throws(ConfigErrors) {
      // Cameras that were added meanwhile take effect after a restart.
      policy = try PolicyFile.read(path: options.policyPath, cameras: started.viewNames)
      let fresh = try DeviceConfiguration(path: options.configurationPath)
      logLevel.value = Logger.Level(fresh.log.level)
      logWaiting(fresh)
      DeviceConfiguration.sections.reload(fresh, into: &effective)
      effective.plans = served(effective.plans)
      effective.events = feedable(effective.events)
    } catch {
      throw DeviceControlError.invalidConfiguration(message: "\(error)")
    }
    return (effective.engineSettings(policy: policy), effective)
  }

  private func logWaiting(_ fresh: DeviceConfiguration) {
    var waiting = DeviceConfiguration.sections.waiting(started, fresh)
    // Positions come from gpsd only if the daemon was started with it.
    if fresh.location.gpsd != nil, started.location.gpsd == nil { waiting.append("positions of gpsd") }
    guard !waiting.isEmpty else { return }
    logger.notice("takes effect after a restart: \(waiting.joined(separator: ", "))")
  }

  /// Leaves out the plans whose video or audio takes a restart, and logs them.
  private func served(_ plans: [PlanSettings]) -> [PlanSettings] {
    let waiting = plans.filter { !started.serves($0) }.map { "\"\($0.name)\"" }.joined(separator: ", ")
    if !waiting.isEmpty {
      logger.notice("the plans \(waiting) take effect after a restart: what they record is not there before")
    }
    return plans.filter { started.serves($0) }
  }

  /// Leaves out the sources whose inputs take a restart, and logs them.
  private func feedable(_ events: EventSettings) -> EventSettings {
    var feedable = events
    feedable.sources.removeAll { !started.feeds($0) }
    let waiting = events.sources.filter { !started.feeds($0) }.map { "\"\($0.name)\"" }.joined(separator: ", ")
    if !waiting.isEmpty {
      logger.notice(
        "events of \(waiting) are noticed after a restart: what these sources need is not there before"
      )
    }
    return feedable
  }
}

extension Logger.Level {
  init(_ level: LogSettings.Level) { self = Logger.Level(rawValue: level.rawValue) ?? .info }
}
