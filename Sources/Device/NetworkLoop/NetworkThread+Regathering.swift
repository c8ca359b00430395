import ICE
import MediaCore
import PeerSession
import RealtimeRuntime

/// Servers are asked anew within a call: when this machine's addresses change, and when a relay has failed.
extension NetworkThread {
  // MARK: Addresses that change

  /// Makes links anew that leave from an address that is gone, or not from the one that the kernel would choose now.
  func renewRelays(now: MonotonicInstant) {
    for running in table.all {
      for server in running.servers.list.relays { renew(server, for: running, now: now) }
    }
  }

  /// Asks STUN servers which addresses the present ones are seen under.
  func renewReflexiveAddresses(now: MonotonicInstant) {
    for running in table.all where !isRelayOnly && !running.servers.list.reflectors.isEmpty {
      running.servers.areEnded = false
      // One that is given up at once must not end what the others begin.
      running.servers.pendingCount += 1
      for reflector in running.servers.list.reflectors { open(reflector, for: running, now: now) }
      finishOne(running, now: now)
    }
  }

  /// A server that waits to be tried again is tried at once; one that was given up for good stays so.
  private func renew(_ server: ICEServerList.Relay, for running: RunningSession, now: MonotonicInstant) {
    let links = relays.links(of: running, to: server)
    let retry = relays.takeRetry(of: running, to: server)
    guard var failures = links.first?.failures ?? retry?.failures else { return }
    let standing = links.map { $0.standing(among: localAddresses) }
    guard !standing.contains(.unaffected) else { return }
    if !links.isEmpty {
      tell("relay \(server.url): is reached anew, since this machine's addresses have changed", running)
    }
    // One at most goes on until the new link serves: the oldest, which may be carrying the call.
    let kept = links.indices.first { standing[$0] == .diverted }
    failures.forget()
    let dropped = links.indices.filter { $0 != kept }.map { links[$0] }
    // Gathering must not end between the old links and the new one, which must find no others that would do.
    for link in dropped { relays.remove(link) }
    open(server, after: failures, kept.map { links[$0].id }, for: running, now: now)
    for link in dropped { leave(link, of: running, now: now) }
  }

  // MARK: Relays that fail

  /// The session has an address there.
  func noteService(of link: RelayLink, for running: RunningSession, now: MonotonicInstant) {
    link.servingSince = now
    if link.failures.areTold { tell("relay \(link.server.url): works again", running) }
    for other in relays.links(of: running, to: link.server) { other.failures.areTold = false }
  }

  /// The session has closed the relay.
  func giveUp(_ link: RelayLink, _ failure: TURNFailure, for running: RunningSession, now: MonotonicInstant) {
    relays.remove(link)
    if failure.mayPass {
      tryLater(link, "\(failure)", for: running, now: now)
    } else {
      tell("relay \(link.server.url): \(failure)", running)
    }
  }

  /// Has a server tried anew after a pause, unless another link leads there: then nothing is lost yet. Told once, until
  /// it works again.
  func tryLater(_ link: RelayLink, _ reason: String, for running: RunningSession, now: MonotonicInstant) {
    guard relays.links(of: running, to: link.server).isEmpty else { return }
    if !link.failures.areTold { tell("relay \(link.server.url): \(reason)", running) }
    link.failures.areTold = true
    let due = link.failures.note(servingSince: link.servingSince, now: now)
    relays.add(RelayRetry(server: link.server, running: running, failures: link.failures, due: due))
  }
}
