/// How to reach Redis.
public struct RedisSettings: Sendable {
  public enum Address: Sendable, Equatable, CustomStringConvertible {
    case tcp(host: String, port: Int)
    case unix(path: String)

    public var description: String {
      switch self {
      case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
      case .unix(let path): path
      }
    }
  }

  public enum Place: Sendable, Equatable {
    case server(Address)
    /// The master of this name, as any of the sentinels tells it.
    case sentinels([Address], master: String)
  }

  public var place: Place
  /// The ACL user; nil for `default`.
  public var username: String?
  /// Secret.
  public var password: String?
  public var connectTimeout: Duration = .seconds(2)
  /// How long a reply may take before the connection is given up.
  public var responseTimeout: Duration = .seconds(3)

  public init(place: Place, username: String? = nil, password: String? = nil) {
    self.place = place
    self.username = username
    self.password = password
  }
}
