internal import Foundation
internal import OpenSSLCrypto

/// The credential of a device: 256 random bits, so a plain hash of it is safe to store.
public struct EnrolmentKey: Sendable {
  /// What the device keeps; shown once.
  public let text: String

  public init() {
    text = "lsk_" + makeRandomToken()
  }

  public init(text: String) {
    self.text = text
  }

  /// What the store keeps.
  public var hashed: String {
    Data(OpenSSLCrypto().sha256(Array(text.utf8))).base64EncodedString()
  }
}
