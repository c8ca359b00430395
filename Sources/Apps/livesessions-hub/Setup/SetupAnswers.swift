import ConfigFile
import HubHTTP

/// What `setup` needs to know: by its options, else by asking.
struct SetupAnswers {
  let command: SetupCommand
  /// Nil where no one can be asked.
  let terminal: Terminal?

  func setup() throws -> HubSetup {
    let name = try command.name ?? ask("The name or address by which others reach this hub", option: "--name")
    let security = try security()
    let listen = try listen(security)
    do {
      var setup = try HubSetup(name: name, listen: listen, security: security)
      setup.database = command.options.database
      return setup
    } catch {
      throw Failure([error.problem, error.remedy].compactMap(\.self).joined(separator: "; "))
    }
  }

  func `operator`() throws -> (title: String, password: String) {
    let title = try command.title ?? ask("The title of the first operator", option: "--title", usual: "operator")
    if let file = command.passwordFile { return (title, try readPassword(from: file)) }
    guard let terminal else { throw Self.missing("--password-file") }
    return (title, try terminal.askPassword())
  }

  private func security() throws -> HubSetup.Security {
    if let name = command.proxy { return .proxy(name.proxy) }
    if command.certificateFile == nil, command.keyFile == nil {
      let answer = try ask(
        "HTTPS: the file of a certificate for that name, or the proxy that has one (caddy, nginx, other)",
        option: "--certificate-file and --key-file, or --proxy")
      if let name = ProxyName(rawValue: answer.lowercased()) { return .proxy(name.proxy) }
      return .certificate(TLSConfiguration(certificateFile: answer, keyFile: try keyFile()))
    }
    let certificate = try command.certificateFile ?? ask("The certificate's file", option: "--certificate-file")
    return .certificate(TLSConfiguration(certificateFile: certificate, keyFile: try keyFile()))
  }

  private func keyFile() throws -> String {
    try command.keyFile ?? ask("The file of the certificate's key", option: "--key-file")
  }

  /// Asked for together with who speaks HTTPS; else the usual one.
  private func listen(_ security: HubSetup.Security) throws -> ListenAddress {
    let usual = HubSetup.usualAddress(security)
    let isAsked = command.proxy == nil && command.certificateFile == nil
    guard let text = try command.listen ?? (isAsked ? terminal : nil)?.ask("Where to listen", usual: "\(usual)") else {
      return usual
    }
    guard let address = ListenAddress(text) else { throw Failure("\(text) is no address and port, as \(usual) is") }
    return address
  }

  private func ask(_ question: String, option: String, usual: String? = nil) throws -> String {
    guard let terminal else { throw Self.missing(option) }
    return try terminal.ask(question, usual: usual)
  }

  private static func missing(_ option: String) -> Failure {
    Failure("give \(option): there is no terminal to ask on")
  }
}
