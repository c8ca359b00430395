import MediaCore
import RealtimeRuntime

/// The addresses that the shared sockets can be reached at, as the kernel reports changes. Confined to the network
/// thread.
struct HostAddresses {
  /// What a change means to sessions and their servers.
  struct Change: Equatable {
    /// Sockets whose addresses have gone or come back.
    var notices: [NetworkNotice]
    /// Sessions offer others.
    var hasNewCandidates: Bool
    /// The way to a server may be another one: it may lead over addresses that no socket offers.
    var hasNewRoutes: Bool
  }

  /// Of this machine.
  private(set) var current: LocalAddresses
  /// What sessions offer, in the order of the sockets.
  private(set) var candidates: [TransportAddress]
  private let sockets: [TransportAddress]

  /// - Parameter sockets: where they are bound.
  init(_ addresses: LocalAddresses, sockets: [TransportAddress]) {
    current = addresses
    candidates = sockets.flatMap { addresses.candidates(for: $0) }
    self.sockets = sockets
  }

  /// Makes other addresses current. A wildcard socket needs nothing: it takes what arrives for any address.
  mutating func change(to new: LocalAddresses) -> Change {
    let (old, oldCandidates) = (current, candidates)
    self = HostAddresses(new, sockets: sockets)
    let changed = sockets.filter { old.has($0) != new.has($0) }
    return Change(
      notices: changed.map { new.has($0) ? .addressReturned($0) : .addressLost($0) },
      hasNewCandidates: candidates != oldCandidates, hasNewRoutes: new != old)
  }
}
