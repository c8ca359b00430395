internal import Crypto
internal import Foundation

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
    Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
  }
}
