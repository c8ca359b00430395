public import ConfigFile
internal import HubCore
public import HubStore

extension HubConfiguration: SettingGroup {}
extension ConnectionLimits: SettingGroup {}
extension AuditLimits: SettingGroup {}

extension HubConfiguration {
  /// The tables of `hub.toml`, in the order in which the sample has them.
  public static let sections: [SettingSection<Keys>] = [
    SettingSection("", .root, at: \.self, "", settings: Keys.settings),
    SettingSection(
      "tls", at: \.tls, isSampled: false,
      """
      The hub's own certificate (guides/tls.md): then `listen` takes HTTPS alone. `systemctl reload livesessions-hub` \
      puts a renewed one in force.
      """, settings: TLSKeys.settings, check: TLSKeys.check),
    SettingSection(
      "clients", at: \.hub, isSampled: false,
      """
      What clients may do how often. A client is online as long as its event stream is open; heartbeats only say which \
      calls it holds.
      """, settings: clients),
    SettingSection(
      "connections", at: \.hub.connections, isSampled: false,
      "Limits of connections and requests. Trusted proxies are excepted from those of an address.",
      settings: connections),
    SettingSection(
      "audit", at: \.hub.audit, isSampled: false,
      "The log of logins, changes of accounts, and invitations (guides/guests.md).", settings: audit),
    SettingSection(
      "turn", at: \.turn, isSampled: false,
      "A TURN server (coturn with use-auth-secret), for callers behind strict firewalls (guides/network.md).",
      settings: TurnKeys.settings, check: TurnKeys.check),
    SettingSection(
      "webhook", .array, whole: \.webhooks,
      """
      Where the hub posts events of devices (guides/alerts.md), each with a table of its own; up to \
      \(WebhookConfiguration.maxCount).
      """, settings: WebhookConfiguration.File.settings),
    SettingSection(
      "push", at: \.push, isSampled: false,
      """
      Rings people whose page is closed, by the push services of their browsers (guides/ring-phones.md). The hub then \
      makes connections to these services.
      """, settings: PushConfiguration.Keys.settings, check: PushConfiguration.Keys.check),
    SettingSection(
      "calls", at: \.hub.calls, isSampled: false,
      "The call history that people find in the page (guides/accounts.md).",
      settings: CallHistoryConfiguration.settings),
    SettingSection(
      "redis", at: \.redis, isSampled: false,
      """
      Several nodes that are one hub (guides/hub-nodes.md): what they share (who is online, events, calls) is in Redis 7. \
      One of `address`, `sentinels` and `cluster` says where.
      """, settings: RedisKeys.settings, sample: sampleRedis),
  ]

  public static let descriptions = sections.map(\.description)

  private static let sampleRedis = """
    [redis]
    address = "127.0.0.1:6379"
    username = "livesessions"
    password_file = "/etc/livesessions/redis.password"
    accounts = false
    node = "hub-1"
    node_address = "192.0.2.21:8080"
    """

  private static let clients: [Setting<HubConfiguration>] = [
    Setting(
      "heartbeat_interval", \.heartbeatInterval, .duration(.seconds(20)...(.seconds(1_800))),
      "How often clients say which calls they hold, a quarter sooner or later."),
    Setting(
      "logins_per_second", \.admission.logins, .integer(1...1_000_000),
      """
      Logins of devices that this node admits, as when all come at once after a restart; others are asked to come again \
      later.
      """),
    Setting(
      "streams_per_second", \.admission.streams, .integer(1...1_000_000), "The same of event streams that open."),
  ]

  private static let audit: [Setting<AuditLimits>] = [
    Setting(
      "retention", \.retention, .duration(.seconds(86_400)...(.seconds(3_650 * 86_400))),
      "How long entries are kept. Earlier ones go when the next entry is written."),
    Setting(
      "maximum_entries", \.maximumEntries, .integer(1_000...1_000_000),
      """
      Entries in all, the oldest go first: half of them for what anybody can cause (logins, refused ones, uses of \
      invitations), half for everything else.
      """),
  ]

  private static let connections: [Setting<ConnectionLimits>] = [
    Setting(
      "total", \.total, .integer(16...1_000_000),
      """
      Connections in all. Where there is no room, a new connection takes the place of the oldest without a login.
      """),
    Setting(
      "per_address", \.perAddress, .integer(1...1_000_000),
      "Connections from one address; an IPv6 network /64 counts as one."),
    Setting(
      "request_rate", \.requestRate, .integer(1...1_000_000),
      """
      Requests a second of one client (an account's token, else an address). Half a second's worth of them begin at \
      once, further ones wait; clients with an account go first.
      """),
    Setting(
      "anonymous_request_rate", \.anonymousRequestRate, .integer(1...1_000_000),
      "Requests a second of all anonymous clients together."),
    Setting(
      "anonymous_memory", \.anonymousMemory, SettingType.integer(1...1_024).map({ $0 << 20 }, back: { $0 >> 20 }),
      """
      MiB that connections of anonymous clients hold together; where it is more, those that hold most are closed.
      """),
    Setting(
      "request_timeout", \.requestTimeout, timeout,
      "For a whole request, and for the first one on a new connection. Uploads of archives may last longer."),
    Setting("idle_timeout", \.idleTimeout, timeout, "Between requests."),
    Setting(
      "stall_timeout", \.stallTimeout, timeout,
      """
      A client that takes nothing of its response for this time is disconnected, and so is an upload that brings fewer \
      than `upload_rate` bytes a second over it.
      """),
    Setting(
      "upload_rate", \.uploadRate, .integer(1...1_000_000_000),
      "Bytes a second that an upload must bring over `stall_timeout` while the hub waits for it."),
  ]

  private static let timeout = SettingType.duration(.seconds(1)...(.seconds(3_600)))
}

extension HubConfiguration.Keys {
  fileprivate static let settings: [Setting<Self>] = [
    Setting(
      "listen", \.hub.listen, .text("host and port", text: { "\($0)" }, parse: parseListen),
      """
      Where to listen. Without [tls] the hub speaks plain HTTP, which is for this machine and a reverse proxy on it \
      (guides/proxy.md): browsers give pages from elsewhere no camera without TLS.
      """),
    Setting(
      "database", \.hub.database, .string,
      "Users, devices and signing keys; made with mode 0600 when it is not there."),
    Setting(
      "web_root", \.hub.webRoot, .string, example: "\"/usr/share/livesessions/web\"",
      "The folder of the web page; without it share/livesessions/web beside the bin folder of the program."),
    Setting(
      "allowed_hosts", \.hub.allowedHosts, .texts("list of hosts", parse: parseHost), example: "[\"hub.example.org\"]",
      """
      The values of the Host header that are answered, with or without a port (without: any port). Without it the \
      loopback names with the port of `listen`. Name your host here when others are to reach the hub.
      """),
    Setting(
      "allowed_origins", \.hub.allowedOrigins, .texts("list of origins", parse: parseOrigin),
      example: "[\"https://intranet.example.org\"]",
      "Pages of other origins that may use the API. The hub's own page always may."),
    Setting(
      "trusted_proxies", \.hub.trustedProxies,
      .texts("list of addresses and ranges", parse: parseAddressRange),
      unset: TOMLText.strings(HubConfiguration.loopbackRanges),
      """
      Reverse proxies: the client's address is taken from what they forward, and the limit of connections per address \
      does not hold for them. `[]` when there is none and programs on this machine are not to be believed.
      """),
    Setting(
      "anonymous_login", \.hub.anonymousLogin, .bool,
      "Whether people may log in with nothing but a title. For a demonstration on one machine only."),
    Setting(
      "access_token_lifetime", \.hub.accessTokenLifetime, .duration(.seconds(60)...(.seconds(30 * 86_400))),
      """
      How long an access token lasts. Devices and pages renew theirs in time, so shorter costs nothing but requests.
      """),
    Setting(
      "login_lifetime", \.hub.loginLifetime, .duration(.seconds(3_600)...(.seconds(366 * 86_400))),
      """
      How long after a login a page can renew its tokens; then people type their passwords again (after the call, if \
      they are in one).
      """),
    Setting(
      "status_socket", \.hub.statusSocket, .text("path of a Unix socket", text: \.self, parse: parseSocketPath),
      example: TOMLText.string(HubConfiguration.serviceStatusSocket),
      """
      The Unix socket where `livesessions-hub status` asks, for root and the group of the service. Without it \
      status.sock in the folder that systemd makes for the service, or none. Each node on one machine needs its own.
      """),
    Setting(
      "metrics_token_file", \.metricsTokenFile, .string, example: "\"/etc/livesessions/metrics.token\"",
      """
      A file of mode 0600 with a secret (`openssl rand -base64 32` makes one): clients that show it as a bearer token \
      get the node's figures for Prometheus at `/metrics` (authorization: credentials_file there). Without it none do.
      """),
  ]
}

extension HubConfiguration.TurnKeys {
  static let settings: [Setting<Self>] = [
    Setting(
      "uris", \.uris, .texts("list of URIs", parse: parseTurnURI),
      example: "[\"turn:turn.example.org:3478\", \"turns:turn.example.org:5349\", \"stun:turn.example.org:3478\"]",
      "As browsers take them. Required with this table."),
    Setting(
      "secret_file", \.secretFile, .string, example: "\"/etc/livesessions/turn.secret\"",
      "A file of mode 0600 with coturn's static-auth-secret. Required with this table."),
    Setting(
      "lifetime", \.lifetime, .duration(.seconds(60)...(.seconds(86_400))),
      "Of the credentials that the hub hands out."),
  ]
}
