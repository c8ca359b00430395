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
    if change.jump != .zero { logger.notice("the wall clock was set \(change.jump.forwardOrBack)") }
    guard change.isTrustNew else { return }
    if change.isSynchronized {
      logger.notice("the wall clock is synchronised")
    } else {
      logger.warning("\(Self.distrust)")
    }
  }
}

extension TimeSpan {
  /// `forward by 12 s`, in the largest unit that leaves two digits.
  fileprivate var forwardOrBack: String {
    let units: [(name: String, milliseconds: Int64)] = [
      ("days", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
    ]
    let size = abs(milliseconds)
    let unit = units.first { size >= 10 * $0.milliseconds } ?? ("ms", 1)
    return "\(self < .zero ? "back" : "forward") by \(size / unit.milliseconds) \(unit.name)"
  }
}
