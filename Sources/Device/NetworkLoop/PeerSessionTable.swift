import ICE
import MediaCore
import PeerSession

/// One running session and where its received frames go.
final class RunningSession {
  let handle: SessionHandle
  /// Reaching for the session marks it: its deadline may change and events may wait.
  var session: PeerSession {
    isTouched = true
    return peerSession
  }
  /// When the session wants to be called, as of the last ``takeTouched()``.
  private(set) var deadline = MonotonicInstant.distantFuture
  private let peerSession: PeerSession
  private var isTouched = true
  let frames: ReceivedFrameFanOut
  /// Which sound the peer is sent; 0 is the device's own.
  var mix: UInt8 = 0
  /// Whose video the peer is sent; 0 is the device's main source.
  var videoSource = 0
  /// What the peer's checks are addressed to, as ``PeerSessionTable`` knows it.
  fileprivate(set) var usernames: [UsernameFragment] = []
  /// Addresses that datagrams of this session came from; bounded.
  var addresses: [TransportAddress] = []
  /// How many of the session's sources the table knows.
  var listedSourceCount = 0
  /// For what comes from unknown addresses in the session's name.
  var strays = StrayAllowance()

  init(handle: SessionHandle, session: PeerSession, frames: ReceivedFrameFanOut) {
    self.handle = handle
    peerSession = session
    self.frames = frames
  }

  /// The session if it was accessed since the last call.
  func takeTouched() -> PeerSession? {
    guard isTouched else { return nil }
    isTouched = false
    deadline = peerSession.deadline
    return peerSession
  }
}

/// Finds a session by its handle, by ICE username, by peer address and by the sources of the peer's packets.
struct PeerSessionTable {
  private(set) var all: [RunningSession] = []
  private var byUsername: [UsernameFragment: RunningSession] = [:]
  private var byAddress: [TransportAddress: RunningSession] = [:]
  private var bySource = SSRCOwnerTable<RunningSession>()
  private static let addressesPerSession = 16

  subscript(handle: SessionHandle) -> RunningSession? { all.first { $0.handle == handle } }

  mutating func insert(_ running: RunningSession) {
    all.append(running)
    noteUsernames(of: running)
  }

  /// Follows a session whose ICE usernames a restart may have changed; that of before counts for a while.
  mutating func noteUsernames(of running: RunningSession) {
    for username in running.usernames { byUsername[username] = nil }
    running.usernames = running.session.localUsernameFragments
    for username in running.usernames { byUsername[username] = running }
  }

  mutating func remove(_ running: RunningSession) {
    all.removeAll { $0 === running }
    for username in running.usernames { byUsername[username] = nil }
    for address in running.addresses where byAddress[address] === running { byAddress[address] = nil }
    bySource.removeAll(of: running)
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

  /// The session that may know who sent a packet of media; nothing is proved by that.
  func session(claimedBy datagram: RawSpan) -> RunningSession? {
    PeerSession.source(of: datagram).flatMap { bySource[$0] }
  }

  /// Lists the sources of authentic packets that the session has come to know.
  mutating func listSources(of running: RunningSession) {
    while running.listedSourceCount < running.session.sourceCount {
      bySource.insert(running.session.source(at: running.listedSourceCount), of: running)
      running.listedSourceCount += 1
    }
  }
}
