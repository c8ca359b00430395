public import HubCore
public import HubStore

/// What an operator of the hub decides: the contents of `hub.toml`.
public struct HubConfiguration: Sendable {
  public struct Turn: Sendable, Equatable {
    /// `turn:`, `turns:` and `stun:` URIs, as browsers take them.
    public var uris: [String]
    /// The secret shared with coturn (`static-auth-secret`).
    public var secret: String
    public var lifetime: Duration

    public init(uris: [String], secret: String, lifetime: Duration = .seconds(3_600)) {
      self.uris = uris
      self.secret = secret
      self.lifetime = lifetime
    }
  }

  public var listen = ListenAddress(host: "127.0.0.1", port: 8_080)
  public var database = "/var/lib/livesessions-hub/hub.sqlite"
  /// The folder of the web page; nil: beside the executable, see ``WebRoot``.
  public var webRoot: String?
  /// `host` or `host:port` values of the `Host` header; empty: the loopback names with the port of ``listen``.
  public var allowedHosts: [String] = []
  /// Further origins, as `https://host[:port]`, whose pages may call the API.
  public var allowedOrigins: [String] = []
  /// Reverse proxies, which are trusted to report the client's address and whose connections are many clients'.
  public var trustedProxies = HubConfiguration.loopbackRanges.compactMap(AddressRange.init)
  public var anonymousLogin = false
  public var accessTokenLifetime: Duration = .seconds(3_600)
  /// How long after a login its tokens can be renewed.
  public var loginLifetime: Duration = .seconds(30 * 86_400)
  public var connections = ConnectionLimits()
  /// How often clients are asked to repeat their state.
  public var heartbeatInterval: Duration = .seconds(240)
  public var admission = AdmissionRates()
  /// Where `livesessions-hub status` asks this node; nil: nowhere.
  public var statusSocket: String?
  /// The bearer token for `/metrics`; nil disables it.
  public var metricsToken: String?
  public var turn: Turn?
  /// Nil: plain HTTP.
  public var tls: TLSConfiguration?
  /// The receivers of events at devices.
  public var webhooks: [WebhookConfiguration] = []
  /// How people are rung whose page is closed; nil: they are not.
  public var push: PushConfiguration?
  /// Calls that are over.
  public var calls = CallHistoryConfiguration()
  /// How much of the audit log is kept.
  public var audit = AuditLimits()
  /// What this node shares with the hub's other nodes; nil: the hub has this node alone.
  public var redis: RedisConfiguration?

  /// Where the packaged service has its status socket.
  public static let serviceStatusSocket = "/run/livesessions-hub/status.sock"

  static let loopbackRanges = ["127.0.0.0/8", "::1"]

  public init() {}

  /// The hosts that requests may name.
  public var effectiveHosts: [String] {
    guard allowedHosts.isEmpty else { return allowedHosts }
    let names = ["127.0.0.1", "localhost", "[::1]"]
    return listen.port == 0 ? names : names.map { "\($0):\(listen.port)" }
  }
}

/// Where the hub listens: `127.0.0.1:8080` or `[::1]:8080`.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
  public var host: String
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: Int(port))
  }

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
