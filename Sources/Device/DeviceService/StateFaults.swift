import ControlMessages
import SystemSupport
import Logging
import MediaPlaneAPI

/// Problems of the files that the daemon keeps across restarts: logged once each, and shown until the daemon ends.
final class StateFaults: ProblemReporting {
  private let faults = Mutex<[StateFault]>([])
  private let logger: Logger
  private let since: Int64

  /// - Parameter since: milliseconds since 1970.
  init(_ logger: Logger, since: Int64) {
    self.logger = logger
    self.since = since
  }

  func note(_ fault: StateFault?) {
    guard let fault else { return }
    faults.withLock { $0.append(fault) }
    logger.warning("\(fault)")
  }

  var problem: ProblemStatus? {
    let all = faults.withLock { $0 }
    guard !all.isEmpty else { return nil }
    return ProblemStatus(part: .state, text: all.map(\.description).joined(separator: "; "), since: since)
  }
}
