internal import HubCore
internal import SystemSupport

/// What this node has done, counted by any of its parts.
final class NodeCounters: Sendable {
  private let counters = Mutex(HubCounters())

  var values: HubCounters { counters.withLock { $0 } }

  func note(_ change: (inout HubCounters) -> Void) { counters.withLock { change(&$0) } }
}
