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
  /// Report to the session a link that is up, and the one that it replaces.
  case openRelay(TURNConnectionID, TURNServerEndpoint, after: TURNConnectionID?)
  /// Report to the session that a link is gone.
  case closeRelay(TURNConnectionID)
  /// Report to the session that all its servers are queried or given up.
  case endServers
  /// Log it.
  case report(String)
}

/// An action and the session that it concerns.
struct SessionServerAction: Equatable {
  let session: SessionHandle
  let action: ICEServerAction
}
