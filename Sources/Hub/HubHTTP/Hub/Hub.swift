public import HubCore
internal import Locking

/// The running hub: ``HubCore/HubState`` under a lock, and those who wait for what it decides.
///
/// Every mutation runs under the lock and does no input or output; what it asks for is done after leaving it.
public final class Hub: Sendable {
  private let state: Mutex<HubState>
  let limits: HubLimits
  let streams = EventStreamWakeups()
  let transfers = ArchiveTransfers()

  public init(epoch: String, limits: HubLimits = HubLimits()) {
    self.limits = limits
    state = Mutex(HubState(epoch: epoch, limits: limits))
  }

  /// Changes the state at the present time and does what follows from that.
  func mutate<Value: Sendable>(
    _ body: (inout HubState, Instant) throws(HubRefusal) -> Value
  ) throws(HubRefusal) -> Value {
    let now = Instant.now
    let (result, actions) = state.withLock { state in
      let result = Result { () throws(HubRefusal) in try body(&state, now) }
      return (result, state.drainActions())
    }
    perform(actions)
    return try result.get()
  }

  func tick() {
    let actions = state.withLock { state in
      state.tick(now: .now)
      return state.drainActions()
    }
    perform(actions)
    transfers.giveUpStalled(now: .now)
  }

  var figures: (counters: HubCounters, gauges: HubGauges) {
    state.withLock { ($0.counters, $0.gauges) }
  }

  private func perform(_ actions: HubActions) {
    guard !actions.isEmpty else { return }
    streams.wake(actions.wokenStreams)
    for uploadID in actions.expiredUploads { transfers.giveUp(uploadID) }
  }
}
