import PeerSession

/// The links of all sessions to TURN servers. Confined to the network thread.
final class TURNConnections {
  private struct Entry {
    let link: TURNConnection
    let owner: RunningSession
  }

  /// Oldest first.
  private(set) var all: [TURNConnection] = []
  private var byID: [TURNConnectionID: Entry] = [:]

  subscript(id: TURNConnectionID) -> TURNConnection? { byID[id]?.link }

  /// The session that the link was made for, until the link is removed.
  func owner(of link: TURNConnection) -> RunningSession? { byID[link.id]?.owner }

  func insert(_ link: TURNConnection, of owner: RunningSession) {
    all.append(link)
    byID[link.id] = Entry(link: link, owner: owner)
  }

  /// Closes a link and forgets it.
  func remove(_ id: TURNConnectionID) {
    byID.removeValue(forKey: id)?.link.close()
    all.removeAll { $0.id == id }
  }
}
