public import ConfigFile
internal import HubCore

/// What makes a hub reachable from other machines: the settings for it, and what its operator does next.
public struct HubSetup: Sendable {
  /// Who speaks HTTPS.
  public enum Security: Sendable, Equatable {
    case certificate(TLSConfiguration)
    case proxy(ReverseProxy)
  }

  public enum ReverseProxy: Sendable {
    case caddy
    case nginx
    case other
  }

  /// The name or address that others type, without scheme and port.
  public var name: String
  public var listen: ListenAddress
  public var security: Security
  /// The path of the database; nil for the usual one.
  public var database: String?

  /// - Parameter listen: nil for what suits `security`.
  /// - Throws: for what is no name.
  public init(name: String, listen: ListenAddress?, security: Security) throws(ConfigValueError) {
    let name = try parseHost(name).lowercased()
    // An IPv6 address of a URL stands in brackets.
    guard !name.contains(":") || name.hasPrefix("[") && name.hasSuffix("]") else {
      throw ConfigValueError(
        "\(name) is no name without a port", remedy: #"write for example "hub.example.org" or "[2001:db8::1]""#)
    }
    self.name = name
    self.listen = listen ?? Self.usualAddress(security)
    self.security = security
  }

  public static func usualAddress(_ security: Security) -> ListenAddress {
    switch security {
    case .certificate: ListenAddress(host: "0.0.0.0", port: 8_443)
    case .proxy: ListenAddress(host: "127.0.0.1", port: 8_080)
    }
  }

  /// Where pages and devices find the hub.
  public var url: String {
    switch security {
    case .certificate where listen.port != 443: "https://\(name):\(listen.port)"
    case .certificate, .proxy: "https://\(name)"
    }
  }

  /// A file's text with the settings; all else stays.
  ///
  /// - Parameter file: the name that errors show.
  /// - Throws: where the whole is no configuration of a hub.
  public func applied(to text: String, file: String) throws(ConfigErrors) -> String {
    var text = text
    for (key, value) in (database.map { [("database", $0)] } ?? []) + settings {
      let path: SettingPath
      do throws(ConfigValueError) {
        path = try SettingPath(key, in: HubConfiguration.descriptions)
      } catch {
        throw ConfigErrors([ConfigError(file: file, position: nil, problem: error.problem, remedy: error.remedy)])
      }
      text = try SettingEdit(path, value: value).applied(to: text, file: file)
    }
    _ = try HubConfiguration.Keys(text: text, file: file)
    return text
  }

  private var settings: [(key: String, value: String)] {
    let listens = ("listen", "\(listen)")
    switch security {
    case .certificate(let tls):
      return [
        listens, ("allowed_hosts", TOMLText.strings([name])), ("trusted_proxies", "[]"),
        ("tls.certificate_file", tls.certificateFile), ("tls.key_file", tls.keyFile),
      ]
    case .proxy:
      // Devices on the same machine need no proxy.
      let local = ["127.0.0.1", "localhost"].map { "\($0):\(listen.port)" }
      return [listens, ("allowed_hosts", TOMLText.strings([name] + local))]
    }
  }

  /// What the proxy's configuration needs; nil without one that is known.
  public var proxyConfiguration: String? {
    switch security {
    case .certificate, .proxy(.other): nil
    case .proxy(.caddy):
      """
      # /etc/caddy/Caddyfile
      \(name) {
        reverse_proxy \(proxied)
      }
      """
    case .proxy(.nginx):
      """
      # /etc/nginx/conf.d/livesessions-hub.conf
      server {
        listen 443 ssl;
        server_name \(name);
        ssl_certificate /etc/nginx/hub.pem;
        ssl_certificate_key /etc/nginx/hub.key;
        client_max_body_size 0;
        location / {
          proxy_pass http://\(proxied);
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $remote_addr;
          proxy_buffering off;
          proxy_request_buffering off;
          proxy_connect_timeout 3s;
          proxy_read_timeout 75s;
        }
      }
      """
    }
  }

  /// Where a proxy on this machine finds the hub.
  private var proxied: ListenAddress {
    listen.host == "0.0.0.0" ? ListenAddress(host: "127.0.0.1", port: listen.port) : listen
  }
}
