internal import Foundation
internal import OpenSSLCrypto
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
    let code = OpenSSLCrypto().hmacSHA1(key: Array(configuration.secret.utf8), message: Array(username.utf8))
    var servers: [ICEServer] = []
    if !stun.isEmpty { servers.append(ICEServer(urls: stun)) }
    if !turn.isEmpty {
      servers.append(ICEServer(urls: turn, username: username, credential: Data(code).base64EncodedString()))
    }
    return servers
  }
}
