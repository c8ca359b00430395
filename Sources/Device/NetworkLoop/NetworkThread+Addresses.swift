import MediaCore
import PeerSession
import RealtimeRuntime

extension NetworkThread {
  /// Makes the addresses of this machine current, when the kernel has told of changes.
  func readAddressesWhenDue(now: MonotonicInstant) {
    guard start.addressWatch?.takeDue(now: now) == true else { return }
    change(to: .read(), now: now)
  }

  /// New sessions offer the new addresses, running ones are told and their servers asked anew. A wildcard socket needs
  /// nothing: it takes what arrives for any address.
  private func change(to new: LocalAddresses, now: MonotonicInstant) {
    let old = localAddresses
    localAddresses = new
    for socket in start.sockets where old.has(socket.address) != new.has(socket.address) {
      let isBack = new.has(socket.address)
      start.notices.yield(isBack ? .addressReturned(socket.address) : .addressLost(socket.address))
    }
    let candidates = candidates(of: new)
    if candidates != localCandidates {
      localCandidates = candidates
      for running in table.all { running.session.changeLocalAddresses(candidates, now: now) }
      renewReflexiveAddresses(now: now)
    }
    // The way to a server may lead over addresses that no socket offers.
    if new != old { renewRelays(now: now) }
  }

  /// What sessions offer, in the order of the sockets.
  func candidates(of addresses: LocalAddresses) -> [TransportAddress] {
    start.sockets.flatMap { addresses.candidates(for: $0.address) }
  }
}
