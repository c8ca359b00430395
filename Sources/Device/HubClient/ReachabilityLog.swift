import Logging
import SystemSupport

/// Logs when the hub goes and when it comes back, and nothing in between; knows why it is gone.
final class ReachabilityLog: Sendable {
  private enum State {
    case unknown
    case reachable
    /// By polling alone.
    case polled
    /// With the kinds of failures that were reported.
    case failing(Set<Cause>)
  }

  /// Kinds of failures. Each is reported once until the hub is back, however they alternate: a broken connection must not
  /// hide that what answers afterwards is not the hub.
  private enum Cause {
    case absence
    /// A server answers, and TLS does not accept it as the hub.
    case impostor
    case refusal

    init(_ error: HubClientError) {
      self = error.isTLSFailure ? .impostor : error.isAbsence ? .absence : .refusal
    }
  }

  /// Its URL, which may be what is wrong.
  private let hub: String
  private let logger: Logger
  private let isClockSynchronized: @Sendable () -> Bool
  private let state = Mutex(State.unknown)
  private let outages = Mutex<HubOutage?>(nil)

  init(hub: String, logger: Logger, isClockSynchronized: @escaping @Sendable () -> Bool) {
    self.hub = hub
    self.logger = logger
    self.isClockSynchronized = isClockSynchronized
  }

  /// Why the hub cannot be used, or last could not; nil if there was no failure yet.
  var lastOutage: HubOutage? { outages.withLock { $0 } }

  /// The event stream brings events.
  func succeeded() {
    outages.withLock { $0?.end() }
    let previous = exchange(.reachable)
    switch previous {
    case .reachable: break
    case .unknown: logger.info("connected to the hub")
    case .failing: logger.notice("connected to the hub again")
    case .polled: logger.notice("the hub's event stream comes through again")
    }
  }

  /// Events come by polling, and a stream brings none.
  func succeededByPolling() {
    let text = outages.withLock { outage in
      let isSame = outage.map { $0.isBypassed && $0.ended == nil } ?? false
      let current = isSame ? outage : .heldBack(began: .now)
      outage = current
      return current?.text ?? ""
    }
    if case .polled = exchange(.polled) { return }
    logger.warning("connected to the hub without event stream: \(text)")
  }

  /// The event stream, a poll or the login failed; each kind of failure is logged once.
  func failed(_ error: HubClientError) {
    noteOutage(error)
    guard note(Cause(error)) else { return }
    if error.isAbsence {
      logger.warning("\(hub): \(error); \(hint(error))continuing without it, retrying")
    } else {
      logger.error("\(hub): \(error); trying again")
    }
  }

  /// An outage begins, or continues, perhaps for another reason.
  private func noteOutage(_ error: HubClientError) {
    let hint = hint(error)
    outages.withLock { outage in
      let began = outage.flatMap { $0.ended == nil && !$0.isBypassed ? $0.began : nil } ?? .now
      outage = HubOutage(error, of: hub, began: began, hint: hint)
    }
  }

  private func hint(_ error: HubClientError) -> String {
    guard error.isCertificateRefused, !isClockSynchronized() else { return "" }
    return "as long as the wall clock is not synchronised, a good certificate may seem not yet valid; "
  }

  /// Returns whether it was not reported yet.
  private func note(_ cause: Cause) -> Bool {
    state.withLock { state in
      var reported: Set<Cause> = []
      if case .failing(let before) = state { reported = before }
      defer { state = .failing(reported) }
      return reported.insert(cause).inserted
    }
  }

  private func exchange(_ new: State) -> State {
    state.withLock { state in
      defer { state = new }
      return state
    }
  }
}
