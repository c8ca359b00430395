import ICE
import MediaCore
import PeerSession

/// One running session and where its received frames go.
final class RunningSession {
  let sessionID: String
  let session: PeerSession
  let frames: ReceivedFrameFanOut
  /// Addresses that datagrams of this session came from; bounded.
  var addresses: [TransportAddress] = []
  var servers = SessionServers()

  init(sessionID: String, session: PeerSession, frames: ReceivedFrameFanOut) {
    self.sessionID = sessionID
    self.session = session
    self.frames = frames
  }
}

/// Finds a session by its id, by ICE username and by peer address.
struct SessionTable {
  private(set) var all: [RunningSession] = []
  private var byUsername: [UsernameFragment: RunningSession] = [:]
  private var byAddress: [TransportAddress: RunningSession] = [:]
  private static let addressesPerSession = 16

  subscript(sessionID: String) -> RunningSession? { all.first { $0.sessionID == sessionID } }

  mutating func insert(_ running: RunningSession) {
    all.append(running)
    byUsername[running.session.localUsernameFragment] = running
  }

  mutating func remove(_ running: RunningSession) {
    all.removeAll { $0 === running }
    byUsername[running.session.localUsernameFragment] = nil
    for address in running.addresses where byAddress[address] === running { byAddress[address] = nil }
  }

  func session(at address: TransportAddress) -> RunningSession? { byAddress[address] }

  func session(username: UsernameFragment) -> RunningSession? { byUsername[username] }

  /// Remembers that datagrams from `address` belong to the session, which has authenticated one of them.
  mutating func associate(_ address: TransportAddress, with running: RunningSession) {
    guard byAddress[address] !== running else { return }
    if running.addresses.count >= Self.addressesPerSession {
      let oldest = running.addresses.removeFirst()
      if byAddress[oldest] === running { byAddress[oldest] = nil }
    }
    running.addresses.append(address)
    byAddress[address] = running
  }
}
