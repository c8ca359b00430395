internal import ServiceLifecycle

/// Reports at the start and each day what is wrong with the certificate.
struct CertificateUpkeep: Service {
  let certificate: HubCertificate

  func run() async throws {
    await cancelWhenGracefulShutdown {
      repeat { certificate.report(now: TokenAuthority.now) } while (try? await Task.sleep(for: .seconds(86_400))) != nil
    }
  }
}
