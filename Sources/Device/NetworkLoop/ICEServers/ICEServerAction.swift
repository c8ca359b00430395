import ICE
import MediaCore
import PeerSession

/// What ``ICEServerSupervisor`` has done for one session.
///
/// The order counts: each is carried out, with all that follows from it, before the next.
enum ICEServerAction: Equatable {
  /// Look up a server's name; ``ICEServerSupervisor/finishLookup(_:now:)`` takes the answer under this id.
  case lookUp(UInt32, ICEServerURL)
  /// Make a link to one of these addresses.
  case connect(TURNConnectionID, ICEServerList.TURNServer, [TransportAddress])
  /// Close a link and forget it.
  case close(TURNConnectionID)
  /// Have the session ask a STUN server.
  case askReflexiveAddress(of: TransportAddress)
  /// Tell the session of a link that is up, and of the one in whose place it comes.
  case openRelay(TURNConnectionID, TURNServerEndpoint, after: TURNConnectionID?)
  /// Tell the session that a link is gone.
  case closeRelay(TURNConnectionID)
  /// Tell the session that all its servers are asked or given up.
  case endServers
  /// Tell the log.
  case report(String)
}

/// An action and the session that it concerns.
struct SessionServerAction: Equatable {
  let session: SessionHandle
  let action: ICEServerAction
}
