import PeerSession

/// The links of all sessions to TURN servers. Confined to the network thread.
final class RelayLinks {
  private struct Entry {
    let link: RelayLink
    let owner: RunningSession
  }

  /// Oldest first.
  private(set) var all: [RelayLink] = []
  private var byID: [RelayLinkID: Entry] = [:]

  subscript(id: RelayLinkID) -> RelayLink? { byID[id]?.link }

  /// The session that the link was made for, until the link is removed.
  func owner(of link: RelayLink) -> RunningSession? { byID[link.id]?.owner }

  func insert(_ link: RelayLink, of owner: RunningSession) {
    all.append(link)
    byID[link.id] = Entry(link: link, owner: owner)
  }

  /// Closes a link and forgets it.
  func remove(_ id: RelayLinkID) {
    byID.removeValue(forKey: id)?.link.close()
    all.removeAll { $0.id == id }
  }
}
