import Logging
import Synchronization

/// Logs when the hub goes and when it comes back, and nothing in between.
final class ReachabilityLog: Sendable {
  private enum State: Equatable {
    case unknown
    case reachable
    case failing(absent: Bool)
  }

  private let logger: Logger
  private let isClockSynchronized: @Sendable () -> Bool
  private let state = Mutex(State.unknown)

  init(logger: Logger, isClockSynchronized: @escaping @Sendable () -> Bool) {
    self.logger = logger
    self.isClockSynchronized = isClockSynchronized
  }

  /// A request or a stream worked.
  func succeeded() {
    let previous = exchange(.reachable)
    switch previous {
    case .reachable: break
    case .unknown: logger.info("connected to the hub")
    case .failing: logger.notice("connected to the hub again")
    }
  }

  /// The event stream or the login failed; absence and refusal are told apart, each is told once.
  func failed(_ error: HubClientError) {
    let current = State.failing(absent: error.isAbsence)
    guard exchange(current) != current else { return }
    if error.isAbsence {
      logger.warning("\(error); \(hint(error))going on without it, trying again")
    } else {
      logger.error("\(error); trying again")
    }
  }

  private func hint(_ error: HubClientError) -> String {
    guard error.isCertificateRefused, !isClockSynchronized() else { return "" }
    return "as long as the wall clock is not synchronised, a good certificate may look not yet valid; "
  }

  private func exchange(_ new: State) -> State {
    state.withLock { state in
      defer { state = new }
      return state
    }
  }
}
