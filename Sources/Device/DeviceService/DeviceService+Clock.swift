import HubClient
import Logging
import MediaCore
import RealtimeRuntime

/// The wall clock, which many boards learn from the network minutes after they have started.
extension DeviceService {
  /// Reports whether the clock can be trusted, and retries the hub when it is set: its certificate may have seemed not
  /// yet valid.
  ///
  /// - Parameter clockChanged: called each time.
  func watchClock(_ hub: HubClient, clockChanged: () -> Void) async {
    if !ClockTrust.isSynchronized { logger.warning("\(Self.distrust)") }
    do {
      for await change in try ClockWatch.changes() {
        report(change)
        hub.retryNow()
        clockChanged()
      }
    } catch {
      logger.error("the wall clock cannot be watched: \(error)")
    }
  }

  private static let distrust: Logger.Message =
    "the wall clock is not synchronised: rules with hours match if they reject and do not if they answer, those about events do not either, archives are marked, none is deleted for its age; see timedatectl"

  private func report(_ change: ClockChange) {
    if change.jump != .zero { logger.notice("the wall clock was set \(change.jumpText)") }
    guard change.isTrustNew else { return }
    if change.isSynchronized {
      logger.notice("the wall clock is synchronised")
    } else {
      logger.warning("\(Self.distrust)")
    }
  }
}
