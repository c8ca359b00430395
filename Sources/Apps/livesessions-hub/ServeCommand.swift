import ArgumentParser
import Foundation
import HubHTTP
import Hummingbird
import JournalLogging
import Logging
import SystemSupport
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "serve", abstract: "Run the hub.")

  /// How long accounts in Redis are waited for; the service manager starts the hub again then.
  private static let timeout: Duration = .seconds(20)

  @OptionGroup var options: HubOptions

  @Option(help: "Where to listen, instead of the configuration's address: 127.0.0.1:8080.")
  var listen: String?

  @Option(help: "The folder of the web page, instead of the configuration's.")
  var webRoot: String?

  @Option(help: "The least level of messages to log: debug, info, notice, warning or error.")
  var logLevel: String = "notice"

  func run() async throws {
    // Hashing a password takes 16 MB for a moment: in arenas of its threads that would stay, and pin what floods leave.
    ProcessMemory.keepLittle()
    try await reportingFailures {
      let configuration = try effectiveConfiguration()
      try Self.refuseUnusableCertificate(of: configuration)
      let holdsDatabase = configuration.redis?.holdsAccounts != true
      if holdsDatabase { try ServiceOwnership(database: configuration.database).refuseToServe() }
      guard let level = Logger.Level(rawValue: logLevel) else { throw Failure("unknown log level \(logLevel)") }
      let environment = ProcessInfo.processInfo.environment
      let logger = Logger(label: "hub") { _ in
        JournalLogHandler(level: SharedLogLevel(level), environment: environment)
      }
      let backplane = try Backplanes.factory(for: configuration, logger: logger)
      try await options.withStore(
        of: configuration, within: Self.timeout, onDiskFull: { Self.report(isDiskFull: $0, to: logger) }
      ) { store in
        let server = try await HubServer(
          configuration: configuration, store: store, logger: logger, makeBackplane: backplane)
        try await serve(server, configuration)
      }
    }
  }

  private func effectiveConfiguration() throws -> HubConfiguration {
    var configuration = try options.loadConfiguration()
    if let listen {
      guard let address = ListenAddress(listen) else { throw Failure("--listen: \(listen) is no address and port") }
      configuration.listen = address
    }
    // systemd makes the folder (RuntimeDirectory=).
    if configuration.statusSocket == nil, let folder = ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"] {
      configuration.statusSocket = folder + "/status.sock"
    }
    let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
    configuration.webRoot = webRoot ?? configuration.webRoot ?? WebRoot.search(from: executable)
    guard let folder = configuration.webRoot, WebRoot.isWebRoot(folder) else {
      let place = configuration.webRoot.map { "\($0) has no index.html" } ?? "no folder found"
      throw Failure("web_root: \(place)", exitCode: Failure.configuration)
    }
    return configuration
  }

  private static func report(isDiskFull: Bool, to logger: Logger) {
    if isDiskFull {
      logger.error(
        "the disk of the database is full: calls and logins continue, accounts cannot be changed; free some space")
    } else {
      logger.notice("the disk of the database has room again")
    }
  }

  /// One that has expired is only reported: clients may accept it nevertheless.
  private static func refuseUnusableCertificate(of configuration: HubConfiguration) throws(Failure) {
    guard let findings = configuration.tls?.findings(hosts: configuration.allowedHosts, now: currentTime() / 1_000)
    else { return }
    for case .unusable(let error) in findings {
      throw Failure("[tls]: \(CertificateFinding.unusable(error))", exitCode: Failure.configuration)
    }
  }

  private func serve(_ server: HubServer, _ configuration: HubConfiguration) async throws {
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask { for await _ in hangups { server.reload() } }
      try await run(server, at: configuration.listen, scheme: configuration.tls == nil ? "http" : "https")
    }
  }

  private func run(_ server: HubServer, at address: ListenAddress, scheme: String) async throws {
    do {
      try await server.makeApplication(
        onRunning: { port in
          let bound = ListenAddress(host: address.host, port: port)
          // The parent may have closed it, or its disk is full: that ends no service.
          try? FileHandle.standardOutput.write(
            contentsOf: Data("livesessions-hub listens on \(scheme)://\(bound)\n".utf8))
          notifyServiceManager("READY=1\nSTATUS=Listens on \(bound)")
        }, onSignOfLife: { notifyServiceManager("WATCHDOG=1") }
      ).runService()
    } catch {
      throw Failure("listen \(address): \(describeListenFailure(error))")
    }
  }
}
