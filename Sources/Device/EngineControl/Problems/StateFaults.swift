public import ControlMessages
public import Logging
import MediaPlaneAPI
public import SystemSupport

/// Problems of the files that the daemon keeps across restarts: logged once each, and shown until the daemon ends.
public final class StateFaults: ProblemReporting {
  private let faults = Mutex<[StateFault]>([])
  private let logger: Logger
  private let since: Int64

  /// - Parameter since: milliseconds since 1970.
  public init(_ logger: Logger, since: Int64) {
    self.logger = logger
    self.since = since
  }

  public func note(_ fault: StateFault?) {
    guard let fault else { return }
    faults.withLock { $0.append(fault) }
    logger.warning("\(fault)")
  }

  public var problem: ProblemStatus? {
    let all = faults.withLock { $0 }
    guard !all.isEmpty else { return nil }
    return ProblemStatus(part: .state, text: all.map(\.description).joined(separator: "; "), since: since)
  }
}
