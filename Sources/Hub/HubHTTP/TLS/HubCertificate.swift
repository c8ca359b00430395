internal import Logging
internal import SystemSupport
internal import TLSClient

/// The certificate that new connections get. A renewed one replaces it; open connections notice nothing.
final class HubCertificate: Sendable {
  private let configuration: TLSConfiguration
  private let hosts: [String]
  private let logger: Logger
  private let server: Mutex<TLSServer>

  /// - Parameter hosts: `allowed_hosts`, which the certificate ought to name.
  init(_ configuration: TLSConfiguration, hosts: [String], logger: Logger) throws(TLSServerError) {
    self.configuration = configuration
    self.hosts = hosts
    self.logger = logger
    server = Mutex(try TLSServer(configuration))
  }

  var current: TLSServer { server.withLock { $0 } }

  /// Seconds since 1970.
  var expiry: Int64 { current.validity.upperBound }

  /// Reads the files again. Those that no client could use change nothing.
  func reload(now: Int64) {
    let findings = configuration.findings(hosts: hosts, now: now)
    if let mistake = findings.first(where: \.isMistake) { return keep(because: mistake) }
    do {
      let fresh = try TLSServer(configuration)
      server.withLock { $0 = fresh }
    } catch {
      return keep(because: .unusable(error))
    }
    logger.notice("new connections get the certificate in \(configuration.certificateFile)")
    warn(findings)
  }

  /// Reports what is wrong with the certificate in force.
  func report(now: Int64) { warn(current.findings(hosts: hosts, now: now)) }

  private func keep(because finding: CertificateFinding) {
    logger.error(
      "the certificate in force stays: \(finding)", metadata: ["certificate_file": "\(configuration.certificateFile)"])
  }

  private func warn(_ findings: [CertificateFinding]) {
    for finding in findings {
      logger.log(level: finding.isMistake ? .error : .warning, "[tls]: \(finding)")
    }
  }
}
