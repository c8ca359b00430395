/// How the nodes of a hub reach what they know in common, and each other: `[redis]` of `hub.toml`.
public struct RedisConfiguration: Sendable, Equatable {
  public enum Server: Sendable, Equatable {
    /// `host:port`, or the path of a Unix socket.
    case address(String)
    /// The master of this name, as reported by any of the sentinels.
    case sentinels([ListenAddress], master: String)
    /// Servers of a Redis Cluster, which name the others.
    case cluster([ListenAddress])
  }

  public struct Login: Sendable, Equatable {
    /// The ACL user; nil for `default`.
    public var username: String?
    /// Secret.
    public var password: String

    public init(username: String? = nil, password: String) {
      self.username = username
      self.password = password
    }
  }

  public struct TLS: Sendable, Equatable {
    /// Authorities that are trusted besides the system's (PEM).
    public var authorityFile: String?
    /// What the hub shows to servers that ask for a certificate (PEM); both or none.
    public var certificateFile: String?
    public var keyFile: String?
    /// The name in the servers' certificates; nil for the address by which each is reached.
    public var serverName: String?

    public init() {}
  }

  public var server: Server
  public var login: Login?
  /// For the sentinels, which have users of their own.
  public var sentinelLogin: Login?
  /// Nil for connections without TLS.
  public var tls: TLS?
  /// Whether accounts and signing keys lie in Redis, instead of ``HubConfiguration/database``.
  public var holdsAccounts = false
  /// What operators call this node.
  public var node: String
  /// Where the other nodes reach this one; nil: where it listens.
  public var nodeAddress: ListenAddress?

  public init(server: Server, node: String) {
    self.server = server
    self.node = node
  }
}
