import Logging
import Locking

/// Logs when the hub goes and when it comes back, and nothing in between; knows why it is gone.
final class ReachabilityLog: Sendable {
  private enum State {
    case unknown
    case reachable
    case failing(HubClientError)

    /// Whether both are failures of one kind: an absent hub, or one that refuses.
    func isAlike(_ other: State) -> Bool {
      guard case .failing(let error) = self, case .failing(let otherError) = other else { return false }
      return error.isAbsence == otherError.isAbsence
    }
  }

  private let logger: Logger
  private let isClockSynchronized: @Sendable () -> Bool
  private let state = Mutex(State.unknown)

  init(logger: Logger, isClockSynchronized: @escaping @Sendable () -> Bool) {
    self.logger = logger
    self.isClockSynchronized = isClockSynchronized
  }

  /// Why the hub cannot be used, in words for people; nil while it can, and before the first attempt.
  var outage: String? {
    guard case .failing(let error) = state.withLock({ $0 }) else { return nil }
    return hint(error) + "\(error)"
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

  /// The event stream or the login failed; absence and refusal are distinguished, each is logged once.
  func failed(_ error: HubClientError) {
    let current = State.failing(error)
    guard !exchange(current).isAlike(current) else { return }
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
