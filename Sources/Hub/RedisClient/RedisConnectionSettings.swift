/// Where Redis is, and how long and how much to wait for it.
public struct RedisConnectionSettings: Sendable {
  /// A server of Redis or a sentinel.
  public struct Address: Sendable, Hashable {
    /// A name or a numeric address (IPv6 without brackets).
    public var host: String
    public var port: Int

    public init(host: String, port: Int) {
      self.host = host
      self.port = port
    }
  }

  public enum Endpoint: Sendable, Hashable {
    case tcp(Address)
    case unixSocket(path: String)
    /// The master of this name, for whose address the sentinels are asked in turn at each connect.
    case sentinels([Address], masterName: String)
    /// Redis Cluster; the servers are asked in any order which servers there are. What is decided together has to carry
    /// one hash tag.
    case cluster([Address])
  }

  public struct Credentials: Sendable {
    /// `nil` is the account `default`.
    public var username: String?
    public var password: String

    public init(username: String? = nil, password: String) {
      self.username = username
      self.password = password
    }
  }

  /// TLS to servers and sentinels alike.
  public struct TLS: Sendable {
    /// PEM files of a client's certificate, with those of the authorities between, and of its key.
    public struct Identity: Sendable, Hashable {
      public var certificateFile: String
      public var keyFile: String

      public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
      }
    }

    /// Certificates (PEM) of authorities that are trusted besides the system's.
    public var authorityFile: String?
    /// For servers that ask for a certificate.
    public var identity: Identity?
    /// The name in the servers' certificates; nil for the name or address by which each is reached.
    public var serverName: String?

    public init(
      authorityFile: String? = nil, identity: Identity? = nil, serverName: String? = nil
    ) {
      self.authorityFile = authorityFile
      self.identity = identity
      self.serverName = serverName
    }
  }

  public var endpoint: Endpoint
  public var credentials: Credentials?
  /// For the sentinels, which have accounts of their own.
  public var sentinelCredentials: Credentials?
  public var tls: TLS?
  /// What `CLIENT LIST` shows: printable ASCII without spaces.
  public var clientName = "livesessions"
  /// Time for the look-up of the name, the connection and the TLS handshake together.
  public var connectTimeout: Duration = .seconds(5)
  /// Time from the writing of a command to its reply.
  public var responseTimeout: Duration = .seconds(5)
  /// Silence after which a `PING` probes the server.
  public var pingInterval: Duration = .seconds(5)
  public var limits = Limits()
  /// Libraries that the server has to have; see ``RedisFunctionLibrary``.
  public var libraries: [RedisFunctionLibrary] = []

  public init(_ endpoint: Endpoint) { self.endpoint = endpoint }

  /// Bounds of memory.
  public struct Limits: Sendable {
    /// Connections of a ``RedisClient``.
    public var connections = 2
    /// Commands of a ``RedisClient`` that wait for their replies at the same time, and their octets.
    public var outstandingCommands = 10_000
    public var outstandingBytes = 64 << 20
    /// Octets of one reply.
    public var replyBytes = 16 << 20
    /// Elements that the arrays of one reply have together.
    public var replyElements = 1 << 20

    public init() {}
  }
}

extension RedisConnectionSettings.Credentials: CustomStringConvertible, CustomReflectable {
  /// Without the password, which must not reach a log.
  public var description: String { "credentials of \(username ?? "default")" }
  public var customMirror: Mirror { Mirror(self, children: ["username": username as Any]) }
}

/// A library of functions (https://redis.io/docs/latest/develop/programmability/functions-intro).
///
/// It is loaded at each connect when the server has none of this name, and again when ``RedisClient``
/// finds that a function is missing. A library of this name that is there is left alone: the name has to change with the
/// text, or programs of different age would replace each other's.
public struct RedisFunctionLibrary: Sendable, Hashable {
  public let name: String
  /// Begins with `#!lua name=` and the name.
  public let code: String

  public init(name: String, code: String) {
    self.name = name
    self.code = code
  }
}

extension RedisConnectionSettings.Address: CustomStringConvertible {
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension RedisConnectionSettings.Endpoint: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tcp(let address): "\(address)"
    case .unixSocket(let path): path
    case .sentinels(_, let masterName): "the master \(masterName)"
    case .cluster: "the cluster"
    }
  }
}
