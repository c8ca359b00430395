import ICE
import MediaCore
import PeerSession
import TLSClient

/// The connections of all sessions to TURN servers, and the lookups of servers' names. Confined to the network thread.
final class RelayLinks {
  static let lookupLimit = TimeSpan.seconds(5)

  /// A name that is being looked up for a session.
  struct Lookup {
    enum Purpose {
      case reflector(ICEServerURL)
      case relay(RelayLink)
    }

    let purpose: Purpose
    let running: RunningSession
    let deadline: MonotonicInstant
  }

  let buffer = RelayBuffer()
  private(set) var all: [RelayLink] = []
  private(set) var lookups: [UInt32: Lookup] = [:]
  /// At most one for each server of a session.
  private(set) var retries: [RelayRetry] = []
  /// The sessions whose answer waits for candidates; looked through each turn, so only these.
  var holding: [RunningSession] = []
  private var byID: [RelayLinkID: RelayLink] = [:]
  private var owners: [RelayLinkID: RunningSession] = [:]
  private var lastID: UInt32 = 0

  subscript(id: RelayLinkID) -> RelayLink? { byID[id] }

  /// When something is given up next.
  var deadline: MonotonicInstant {
    let connecting = all.reduce(MonotonicInstant.distantFuture) { min($0, $1.deadline) }
    let trying = retries.reduce(connecting) { min($0, $1.due) }
    return lookups.values.reduce(trying) { min($0, $1.deadline) }
  }

  func makeLink(
    to server: ICEServerList.Relay, after failures: RelayFailures, for running: RunningSession, tls: TLSClient
  ) -> RelayLink {
    let link = RelayLink(id: RelayLinkID(rawValue: makeID()), server: server, tls: tls)
    link.failures = failures
    owners[link.id] = running
    all.append(link)
    byID[link.id] = link
    return link
  }

  /// Notes a lookup; returns its id.
  func beginLookup(_ purpose: Lookup.Purpose, for running: RunningSession, now: MonotonicInstant) -> UInt32 {
    let id = makeID()
    lookups[id] = Lookup(purpose: purpose, running: running, deadline: now + Self.lookupLimit)
    return id
  }

  /// Takes a lookup that has an end; nil when its session is gone or its time is over.
  func endLookup(_ id: UInt32) -> Lookup? { lookups.removeValue(forKey: id) }

  /// The session that the link was made for, until the link is removed.
  func owner(of link: RelayLink) -> RunningSession? { owners[link.id] }

  /// A session's links to one server, oldest first.
  func links(of running: RunningSession, to server: ICEServerList.Relay) -> [RelayLink] {
    all.filter { $0.server == server && owner(of: $0) === running }
  }

  func add(_ retry: RelayRetry) { retries.append(retry) }

  /// Takes what is to be tried now.
  func takeRetries(now: MonotonicInstant) -> [RelayRetry] {
    guard retries.contains(where: { $0.due <= now }) else { return [] }
    defer { retries.removeAll { $0.due <= now } }
    return retries.filter { $0.due <= now }
  }

  /// Takes what is to be tried later, if it is this server.
  func takeRetry(of running: RunningSession, to server: ICEServerList.Relay) -> RelayRetry? {
    retries.firstIndex { $0.server == server && $0.running === running }.map { retries.remove(at: $0) }
  }

  /// Closes a link and forgets it.
  func remove(_ link: RelayLink) {
    link.close()
    all.removeAll { $0 === link }
    byID[link.id] = nil
    owners[link.id] = nil
  }

  /// Closes what a session had, whatever was under way; returns its links.
  func removeAll(of running: RunningSession) -> [RelayLink] {
    let links = all.filter { owner(of: $0) === running }
    for link in links { remove(link) }
    lookups = lookups.filter { $0.value.running !== running }
    retries.removeAll { $0.running === running }
    return links
  }

  private func makeID() -> UInt32 {
    lastID &+= 1
    return lastID
  }
}
