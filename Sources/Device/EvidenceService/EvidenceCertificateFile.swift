import FoundationEssentials
import SystemSupport
import Signalling

/// The hub's certificate for the device's key, as it came last: in memory for archives' threads, and in a file for a
/// restart.
final class EvidenceCertificateFile: Sendable {
  private struct Content: Codable {
    /// Base64url; a certificate for an earlier key is of no use.
    var publicKey: String
    var certificate: String
    /// Milliseconds since 1970, and when it is to be renewed.
    var expiresAt: Int64
    var renewAt: Int64
  }

  private let path: String
  private let publicKey: String
  private let content: Mutex<Content?>

  private static let maximumSize = 8_192

  init(path: String, publicKey: String) {
    self.path = path
    self.publicKey = publicKey
    // Without it another one is asked for.
    let file = (try? PrivateFile.read(path, limit: Self.maximumSize)) ?? nil
    let known = file.flatMap { try? JSONDecoder().decode(Content.self, from: Data($0.octets)) }
    content = Mutex(known?.publicKey == publicKey ? known : nil)
  }

  /// Waits for nothing.
  var certificate: String? { content.withLock { $0?.certificate } }

  /// Whether another one should be asked for.
  ///
  /// - Parameter now: milliseconds since 1970; while the clock is not set, one that is there will do.
  func isDue(at now: Int64?) -> Bool {
    content.withLock { content in
      guard let content else { return true }
      return now.map { $0 >= content.renewAt } ?? false
    }
  }

  /// Keeps a new one. It is to be renewed when two thirds of its time are over.
  func store(_ response: DeviceCertificateResponse, at now: Int64) throws {
    let span = max(0, response.expiresAt.subtractingReportingOverflow(now).partialValue)
    let new = Content(
      publicKey: publicKey, certificate: response.certificate, expiresAt: response.expiresAt,
      renewAt: now.addingReportingOverflow(span / 3 * 2).partialValue)
    content.withLock { $0 = new }
    try PrivateFile.replace(path, with: [UInt8](try JSONEncoder().encode(new)))
  }
}
