import Archive
import Evidence
import OpenSSLCrypto
public import SessionToken

/// The authorities trusted for the signing key and the time.
public struct EvidenceTrust: Sendable {
  /// The hub's published keys; nil believes any key.
  public var hubKeys: SigningKeySet?
  /// The user id of the device that has to have signed; nil for any device of the hub.
  public var device: String?
  /// PEM with the certificates of time-stamping authorities; nil checks no time stamp.
  public var authorityFile: String?

  public init(hubKeys: SigningKeySet? = nil, device: String? = nil, authorityFile: String? = nil) {
    self.hubKeys = hubKeys
    self.device = device
    self.authorityFile = authorityFile
  }
}

/// What the certificates of a report say of its key.
enum KeyOwner {
  /// No hub was asked.
  case unknown
  case device(DeviceCertificate)
  /// Why the key has no known owner.
  case unidentified(String)

  init(_ report: EvidenceReport, _ trust: EvidenceTrust) {
    guard let keys = trust.hubKeys else {
      self = .unknown
      return
    }
    var reason = "the evidence holds no certificate of a hub"
    for text in report.certificates {
      do {
        let certificate = try DeviceCertificate(text, keys: keys, OpenSSLCrypto())
        guard let objection = Self.objection(certificate, report, trust) else {
          self = .device(certificate)
          return
        }
        reason = objection
      } catch {
        reason = "the certificate \(error)"
      }
    }
    self = .unidentified(reason)
  }

  private static func objection(
    _ certificate: DeviceCertificate, _ report: EvidenceReport, _ trust: EvidenceTrust
  ) -> String? {
    if certificate.publicKey != report.deviceKey { return "the certificate is for another key" }
    if let device = trust.device, certificate.userID != device {
      return "the certificate is for device \(certificate.userID), not for \(device)"
    }
    if let begin = report.begin, begin.isSynchronized, begin.wallClock / 1_000 > certificate.expiresAt {
      return "the certificate had run out when the recording began"
    }
    return nil
  }
}

/// One time stamp, as far as it holds.
struct VerifiedTimeStamp {
  let statement: UInt64
  /// Seconds since 1970; nil if it does not hold.
  var time: Int64?
  /// Why not.
  var reason: String?

  init(_ stamped: EvidenceAudit.StampedStatement, authorityFile: String) throws(TimeStampError) {
    statement = stamped.stamp.statement
    guard let digest = stamped.digest else {
      reason = "the statement that was stamped is not there"
      return
    }
    do {
      time = try TimeStampResponse(der: stamped.stamp.response).verify(
        digest: digest.octets, authorityFile: authorityFile)
    } catch {
      if case .badAuthorities = error { throw error }
      reason = error.description
    }
  }
}
