internal import Foundation
public import TLSClient

/// What there is to say about the hub's certificate, as text that says what to do.
public enum CertificateFinding: Sendable, Equatable {
  case unusable(TLSServerError)
  /// Seconds since 1970.
  case expired(at: Int64)
  case notYetValid(until: Int64)
  case expiresSoon(at: Int64)
  /// A host of `allowed_hosts` that the certificate does not name.
  case notNamed(host: String)
  /// Without `allowed_hosts`.
  case loopbackHostsAlone

  /// Let's Encrypt's certificates last 90 days and are renewed 30 days before their end.
  static let soon: Int64 = 14 * 86_400

  /// Whether no client could use the certificate.
  public var isMistake: Bool {
    switch self {
    case .unusable, .expired, .notYetValid: true
    case .expiresSoon, .notNamed, .loopbackHostsAlone: false
    }
  }
}

extension CertificateFinding: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unusable(let error): "\(error); \(Self.remedy(error))"
    case .expired(let time): "the certificate expired on \(Self.date(time)); \(Self.renewal)"
    case .notYetValid(let time):
      "the certificate is valid from \(Self.date(time)) on; check this machine's clock, or use another certificate"
    case .expiresSoon(let time): "the certificate expires on \(Self.date(time)); \(Self.renewal)"
    case .notNamed(let host):
      "the certificate does not name \(host), which allowed_hosts has; clients that ask for it will refuse it"
    case .loopbackHostsAlone:
      "allowed_hosts is missing, so requests from other machines get 403; set it to the names in the certificate"
    }
  }

  private static let renewal = "renew it, then run: systemctl reload livesessions-hub"

  private static func remedy(_ error: TLSServerError) -> String {
    switch error {
    case .openSSL: "check the configuration of OpenSSL"
    case .certificateFile: "name a PEM file with the certificate first in certificate_file of [tls]"
    case .keyFile: "name a PEM file with the key, without a password, in key_file of [tls]"
    case .mismatch: "name files that belong together in [tls]"
    }
  }

  /// A day of UTC, as `2026-11-27`.
  private static func date(_ time: Int64) -> String {
    Date(timeIntervalSince1970: Double(time)).formatted(.iso8601.year().month().day())
  }
}

extension TLSConfiguration {
  /// All that there is to say about the certificate before clients notice it.
  ///
  /// - Parameters:
  ///   - hosts: `allowed_hosts`.
  ///   - now: seconds since 1970.
  public func findings(hosts: [String], now: Int64) -> [CertificateFinding] {
    do {
      return try TLSServer(self).findings(hosts: hosts, now: now)
    } catch {
      return [.unusable(error)]
    }
  }
}

extension TLSServer {
  convenience init(_ configuration: TLSConfiguration) throws(TLSServerError) {
    try self.init(certificateFile: configuration.certificateFile, keyFile: configuration.keyFile)
  }

  func findings(hosts: [String], now: Int64) -> [CertificateFinding] {
    let names = hosts.map(AllowedHost.init).filter { !$0.isLoopback }.map(\.name)
    return [dateFinding(now: now)].compactMap(\.self) + (hosts.isEmpty ? [.loopbackHostsAlone] : [])
      + names.filter { !isNamed($0) }.map { .notNamed(host: $0) }
  }

  func dateFinding(now: Int64) -> CertificateFinding? {
    if now < validity.lowerBound { return .notYetValid(until: validity.lowerBound) }
    if now > validity.upperBound { return .expired(at: validity.upperBound) }
    return validity.upperBound - now < CertificateFinding.soon ? .expiresSoon(at: validity.upperBound) : nil
  }
}
