public import TransportCrypto

/// A username fragment and password (RFC 8839 §5.4).
public struct ICECredentials: Hashable, Sendable {
  /// `ice-ufrag`: 4 to 256 ICE characters. Not secret.
  public var usernameFragment: String
  /// `ice-pwd`: 22 to 256 ICE characters. Secret to all but the two sides.
  public var password: String

  /// Takes the values unchecked.
  public init(usernameFragment: String, password: String) {
    self.usernameFragment = usernameFragment
    self.password = password
  }

  /// Makes credentials of our own: 8 and 24 ICE characters, 48 and 144 bits of randomness.
  public static func make(crypto: any CryptoPrimitives) -> ICECredentials {
    ICECredentials(usernameFragment: randomText(8, crypto), password: randomText(24, crypto))
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func randomText(_ count: Int, _ crypto: any CryptoPrimitives) -> String {
    var text: [UInt8] = []
    while text.count < count {
      var bits = crypto.randomUInt64()
      for _ in 0..<min(10, count - text.count) {
        text.append(alphabet[Int(bits & 63)])
        bits >>= 6
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Both sides' credentials in the forms that checks need, of one generation (RFC 8445 §9).
struct CredentialSet {
  let generation: UInt8
  let local: ICECredentials
  let localPassword: [UInt8]
  /// `local:`, with which the username of every request to us begins.
  let incomingPrefix: [UInt8]
  private(set) var remote: ICECredentials?
  private(set) var remoteFragment: [UInt8] = []
  private(set) var remotePassword: [UInt8] = []
  /// `remote:local`, the username of our requests.
  private(set) var outgoingUsername: [UInt8] = []

  init(_ local: ICECredentials, generation: UInt8) {
    self.generation = generation
    self.local = local
    localPassword = Array(local.password.utf8)
    incomingPrefix = Array("\(local.usernameFragment):".utf8)
  }

  mutating func setRemote(_ credentials: ICECredentials) {
    remote = credentials
    remoteFragment = Array(credentials.usernameFragment.utf8)
    remotePassword = Array(credentials.password.utf8)
    outgoingUsername = Array("\(credentials.usernameFragment):\(local.usernameFragment)".utf8)
  }
}
