import CallEngine
import CallPolicy
import ConfigFile
import ControlMessages
import DeviceConfiguration
import JournalLogging
import Logging

/// What can be changed while calls are up: the policy, how many calls there may be, which position is published, when the
/// device records itself, what it notices, what events set off, and the log's level. Of all else the journal says that it
/// waits for the next start.
struct ConfigurationReload: Sendable {
  let options: DeviceService.Options
  /// With which the daemon was started.
  let started: DeviceConfiguration
  let logLevel: SharedLogLevel
  let logger: Logger

  /// Reads policy and configuration anew; a mistake in either leaves both as they were.
  ///
  /// - Returns: what is in force from now on.
  func read() throws -> (EngineSettings, DeviceConfiguration) {
    let policy: CallPolicy
    var effective = started
    do throws(ConfigErrors) {
      // Cameras that were added meanwhile are there from the next start on.
      policy = try PolicyFile.read(path: options.policyPath, cameras: started.viewNames)
      let fresh = try DeviceConfiguration(path: options.configurationPath)
      logLevel.value = Logger.Level(fresh.log.level)
      tellWhatWaits(fresh)
      effective.location = fresh.location
      effective.calls = fresh.calls
      effective.archive.record = fresh.archive.record
      effective.archive.longestByHand = fresh.archive.longestByHand
      effective.plans = served(fresh.plans)
      effective.events = feedable(fresh.events)
      effective.eventRules = fresh.eventRules
      effective.mail = fresh.mail
    } catch {
      throw DeviceControlError.invalidConfiguration(message: "\(error)")
    }
    return (effective.engineSettings(policy: policy), effective)
  }

  private func tellWhatWaits(_ fresh: DeviceConfiguration) {
    let old = started
    var oldArchive = old.archive
    (oldArchive.record, oldArchive.longestByHand) = (fresh.archive.record, fresh.archive.longestByHand)
    let isGPSDNew = fresh.location.gpsd != nil && fresh.location.gpsd != old.location.gpsd
    let changes: [(name: String, isChanged: Bool)] = [
      ("[device]", fresh.identity != old.identity), ("[hub]", fresh.hub != old.hub),
      ("[video]", fresh.video != old.video), ("[[camera]]", fresh.cameras != old.cameras),
      ("[[privacy_mask]]", fresh.privacyMasks != old.privacyMasks),
      ("[overlay]", fresh.overlay != old.overlay), ("[audio]", fresh.audio != old.audio),
      ("[sounds]", fresh.sounds != old.sounds),
      ("[archive]", fresh.archive != oldArchive), ("[network]", fresh.network != old.network),
      ("[upload]", fresh.upload != old.upload),
      ("location.gpsd", isGPSDNew), ("[control]", fresh.control != old.control),
      ("[telemetry]", fresh.telemetry != old.telemetry), ("[[action]]", fresh.actions != old.actions),
      ("[[button]]", fresh.buttons != old.buttons),
    ]
    let waiting = changes.filter(\.isChanged).map(\.name).joined(separator: ", ")
    if !waiting.isEmpty { logger.notice("what has changed in \(waiting) holds from the next start on") }
  }

  /// Leaves out the plans for which there are no pictures or sound before the next start, and tells of them.
  private func served(_ plans: [PlanSettings]) -> [PlanSettings] {
    let waiting = plans.filter { !started.serves($0) }.map { "\"\($0.name)\"" }.joined(separator: ", ")
    if !waiting.isEmpty {
      logger.notice("the plans \(waiting) record from the next start on: what they record is not there before")
    }
    return plans.filter { started.serves($0) }
  }

  /// Leaves out the sources that nothing feeds before the next start, and tells of them.
  private func feedable(_ events: EventSettings) -> EventSettings {
    var feedable = events
    feedable.sources.removeAll { !started.feeds($0) }
    let waiting = events.sources.filter { !started.feeds($0) }.map { "\"\($0.name)\"" }.joined(separator: ", ")
    if !waiting.isEmpty {
      logger.notice(
        "events of \(waiting) are noticed from the next start on: what these sources need is not there before"
      )
    }
    return feedable
  }
}

extension Logger.Level {
  init(_ level: LogSettings.Level) { self = Logger.Level(rawValue: level.rawValue) ?? .info }
}
