public import ConfigFile
public import TLSClient

extension HubSettings {
  /// The file below `$CREDENTIALS_DIRECTORY` that systemd's `LoadCredential=` may provide.
  public static let proxyCredentialName = "proxy-credentials"

  /// How other machines are reached: as the configuration says, or else `HTTPS_PROXY`.
  ///
  /// - Parameters:
  ///   - credentialsDirectory: the value of `$CREDENTIALS_DIRECTORY`, if set.
  ///   - storedCredentials: a file with credentials, if there is one, where neither of the others is.
  ///   - environment: the variables of the process.
  /// - Throws: when the file of credentials is missing, empty, or readable by others, or a variable is no proxy's URL.
  public func route(
    credentialsDirectory: String?, storedCredentials: String? = nil, environment: (String) -> String?
  ) throws(ConfigErrors) -> ProxyRoute {
    let exceptions = environment("NO_PROXY") ?? environment("no_proxy") ?? ""
    if let proxy {
      let credentials = try proxyCredentials(credentialsDirectory, storedCredentials)
      return ProxyRoute(proxy.with(credentials: credentials), exceptions: exceptions)
    }
    guard let url = environment("HTTPS_PROXY") ?? environment("https_proxy"), !url.isEmpty else { return .direct }
    guard let proxy = HTTPProxy(url) else {
      throw ConfigErrors([
        ConfigError(
          file: "HTTPS_PROXY", position: nil, problem: "is not the URL of an HTTP proxy",
          remedy: "write for example http://proxy.example:3128 into the environment of the service")
      ])
    }
    return ProxyRoute(proxy, exceptions: exceptions, includesPlain: false)
  }

  private func proxyCredentials(
    _ directory: String?, _ stored: String?
  ) throws(ConfigErrors) -> String? {
    if let proxyCredentialsFile { return try SecretFile.read(path: proxyCredentialsFile) }
    let paths = [directory.map { "\($0)/\(Self.proxyCredentialName)" }, stored].compactMap(\.self)
    for path in paths where SecretFile.exists(path: path) { return try SecretFile.read(path: path) }
    return nil
  }

  static func proxy(_ text: String) throws(ConfigValueError) -> HTTPProxy {
    guard !text.contains("@") else {
      throw ConfigValueError(
        "the URL of a proxy holds no password here", remedy: "write it into the file of proxy_credentials_file")
    }
    guard let proxy = HTTPProxy(text) else {
      throw ConfigValueError(
        "\"\(text)\" is not the URL of an HTTP proxy", remedy: "write for example \"http://proxy.example:3128\"")
    }
    return proxy
  }
}
