import ICE
import MediaCore

/// The addresses of the shared sockets, best first, and whether the peer may learn them.
struct SharedSocketAddresses {
  var list: [TransportAddress]
  let policy: ICETransportPolicy

  /// Their host candidates; none under ``ICETransportPolicy/relay``.
  var candidates: [ICECandidate] {
    guard policy == .all else { return [] }
    return list.map { .host($0, localPreference: localPreference(of: $0)) }
  }

  func localPreference(of address: TransportAddress) -> UInt16 {
    .max - UInt16(clamping: list.firstIndex(of: address) ?? 0)
  }
}
