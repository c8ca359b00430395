internal import Crypto
internal import Foundation
internal import Signalling

/// Short-lived TURN credentials by coturn's shared-secret scheme: the user name carries its own expiry, the password
/// is HMAC-SHA1 of the name.
struct TURNRESTCredentials {
  private let configuration: HubConfiguration.Turn

  init(_ configuration: HubConfiguration.Turn) {
    self.configuration = configuration
  }

  /// Entries for an `RTCConfiguration`; `time` in seconds since 1970.
  func servers(for userID: String, at time: Int64) -> [ICEServer] {
    let isStun = { (uri: String) in uri.hasPrefix("stun:") || uri.hasPrefix("stuns:") }
    let stun = configuration.uris.filter(isStun)
    let turn = configuration.uris.filter { !isStun($0) }
    let username = "\(time + configuration.lifetime.components.seconds):\(userID)"
    let key = SymmetricKey(data: Data(configuration.secret.utf8))
    let code = HMAC<Insecure.SHA1>.authenticationCode(for: Data(username.utf8), using: key)
    var servers: [ICEServer] = []
    if !stun.isEmpty { servers.append(ICEServer(urls: stun)) }
    if !turn.isEmpty {
      servers.append(ICEServer(urls: turn, username: username, credential: Data(code).base64EncodedString()))
    }
    return servers
  }
}
