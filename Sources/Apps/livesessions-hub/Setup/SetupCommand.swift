import ArgumentParser
import CommandSuggestions
import ConfigFile
import Foundation
import HubCore
import HubHTTP
import HubStore
import Signalling
import SafeText
import Signalling
import SystemSupport

struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Write a configuration by which others reach the hub, and add its first operator.",
    discussion: """
      Asks for what no option says: the name, who speaks HTTPS, and the operator's title and password. A configuration \
      file with settings is left alone without --force.
      """)

  @OptionGroup var options: HubOptions
  @Option(parsing: .unconditional, help: "The name or address that others type to reach the hub.") var name: String?
  @Option(help: "Where to listen. (default: 0.0.0.0:8443, or 127.0.0.1:8080 behind a proxy)") var listen: String?
  @Option(help: "The hub's certificate (PEM), if it speaks HTTPS itself.") var certificateFile: String?
  @Option(help: "The certificate's key, in a file of mode 0600.") var keyFile: String?
  @Option(help: "The reverse proxy that speaks HTTPS in place of the hub.") var proxy: ProxyName?
  @Option(parsing: .unconditional, help: "The title of the first operator.") var title: String?
  @Option(help: "A file of mode 0600 with the operator's password, or - for standard input.") var passwordFile: String?
  @Flag(help: "Replace a configuration that has settings, and keep a copy of it.") var force = false

  func validate() throws {
    guard proxy == nil || (certificateFile == nil && keyFile == nil) else {
      throw ValidationError("give --certificate-file and --key-file, or --proxy")
    }
  }

  func run() async throws {
    try await reportingFailures {
      let file = SetupFile(path: options.config ?? HubOptions.defaultConfig)
      let old = try file.read(force: force)
      let answers = SetupAnswers(command: self, terminal: Terminal())
      let setup = try answers.setup()
      let text = try asFailure { () throws(ConfigErrors) in try setup.applied(to: old.text, file: file.path) }
      try Self.check(setup)
      let (title, password) = try answers.operator()
      try file.write(text, keeping: old.isKept)
      printError("\(file.path): written")
      try await add(title, password, file)
      Self.printNextSteps(setup, file)
    }
  }

  /// Before anything is written.
  private static func check(_ setup: HubSetup) throws {
    guard case .certificate(let tls) = setup.security else { return }
    try asFailure { () throws(ConfigErrors) in try SecretFile.check(path: tls.keyFile) }
    let findings = tls.findings(hosts: [setup.name], now: currentTime() / 1_000)
    if let mistake = findings.first(where: \.isMistake) {
      throw Failure("\(mistake)", exitCode: Failure.configuration)
    }
    for finding in findings { printError("warning: \(finding)") }
  }

  private func add(_ title: String, _ password: String, _ file: SetupFile) async throws {
    var options = options
    options.config = file.path
    try await options.withStore { store in
      let record = try await changingAccounts {
        try await Accounts(store: store).add(
          NewPerson(title: title, role: .administrator, password: password), id: makeUserID(), now: currentTime())
      }
      await LocalAudit.record(
        .accountCreated, on: AuditSubject(record),
        changes: [AuditChange(.role, to: record.accountRole.rawValue)], groups: record.groups, in: store, of: options)
      printError("added administrator \"\(record.title)\"")
    }
  }

  private static func printNextSteps(_ setup: HubSetup, _ file: SetupFile) {
    if let proxy = setup.proxyConfiguration {
      StandardOutput.printLine("The proxy's configuration:\n\n\(proxy)\n")
    }
    StandardOutput.printLine(
      file.isPackaged
        ? "Next: systemctl enable livesessions-hub && systemctl restart livesessions-hub"
        : "Next: livesessions-hub serve --config \(file.path)".escapingControls)
    StandardOutput.printLine("Then open \(setup.url)".escapingControls)
  }
}

/// The proxies that `--proxy` names.
enum ProxyName: String, ExpressibleByArgument, CaseIterable {
  case caddy
  case nginx
  case other

  var proxy: HubSetup.ReverseProxy {
    switch self {
    case .caddy: .caddy
    case .nginx: .nginx
    case .other: .other
    }
  }
}

/// The configuration file that is to be written.
struct SetupFile {
  let path: String

  var isPackaged: Bool { path == HubOptions.defaultConfig }

  /// What to begin with: a file of comments alone stays, one with settings makes room.
  func read(force: Bool) throws -> (text: String, isKept: Bool) {
    guard SecretFile.exists(path: path) else { return ("", false) }
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw Failure("\(path): \(error.localizedDescription)")
    }
    let document = try? ConfigDocument(text: text, file: path)
    if document?.entries.isEmpty == true { return (text, false) }
    guard force else {
      throw Failure(
        "\(path) has settings already; change one with livesessions-hub config set, or replace it with --force")
    }
    return ("", true)
  }

  func write(_ text: String, keeping: Bool) throws(Failure) {
    if keeping { try keep() }
    try make()
    do {
      try SystemSupport.PrivateFile.rewrite(path, with: Array(text.utf8))
    } catch {
      throw Failure("\(path): cannot write the file: \(error)")
    }
  }

  private func keep() throws(Failure) {
    let time = Date().formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    let copy = "\(path).before-\(time)"
    do {
      try FileManager.default.copyItem(atPath: path, toPath: copy)
    } catch {
      throw Failure("\(copy): \(error.localizedDescription)")
    }
    printError("\(copy): the configuration that was there")
  }

  /// The service's user reads it; secrets are in files of their own.
  private func make() throws(Failure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure("\(path): \(String(cString: strerror(errno)))") }
    close(descriptor)
  }
}

func asFailure<Value>(_ body: () throws(ConfigErrors) -> Value) throws(Failure) -> Value {
  do {
    return try body()
  } catch {
    throw Failure(error.description, exitCode: Failure.configuration)
  }
}
