/// A broker, and as whom a client connects to it.
public struct MQTTBroker: Sendable, Hashable {
  public enum Version: Sendable, Hashable {
    /// MQTT 3.1.1 (OASIS, 2014).
    case three
    /// MQTT 5.0 (OASIS, 2019).
    case five
  }

  /// How the broker is authenticated, and this client to it. Paths of PEM files.
  public struct TLS: Sendable, Hashable {
    /// Certificates that are trusted; nil trusts those of the system.
    public var authorityFile: String?
    /// This client's certificate with its chain, and its key; nil for none.
    public var certificate: Certificate?

    public init(authorityFile: String? = nil, certificate: Certificate? = nil) {
      self.authorityFile = authorityFile
      self.certificate = certificate
    }
  }

  public struct Certificate: Sendable, Hashable {
    public var file: String
    public var keyFile: String

    public init(file: String, keyFile: String) {
      self.file = file
      self.keyFile = keyFile
    }
  }

  /// A name or an address, IPv6 without brackets.
  public var host: String
  public var port: UInt16
  /// Nil sends everything in plain.
  public var tls: TLS?
  public var version = Version.three
  /// A broker disconnects a client when another one with the same id comes.
  public var clientID: String
  /// Seconds without traffic after which the connection is probed; 5 to 65,535.
  public var keepAlive: UInt16 = 60
  /// What the broker publishes when the connection is lost; nil for nothing.
  public var will: MQTTMessage?

  public init(host: String, port: UInt16, clientID: String) {
    self.host = host
    self.port = port
    self.clientID = clientID
  }
}

/// Name and password; neither is logged.
public struct MQTTCredentials: Sendable, Hashable {
  public var user: String
  public var password: String?

  public init(user: String, password: String?) {
    self.user = user
    self.password = password
  }
}

/// An application message (MQTT 3.1.1 section 3.3).
public struct MQTTMessage: Sendable, Hashable {
  public var topic: String
  public var payload: [UInt8]
  /// Whether the broker keeps it for those who subscribe later; of a message that came in, whether it was kept.
  public var isRetained: Bool

  public init(topic: String, payload: [UInt8], isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }

  public init(topic: String, text: String, isRetained: Bool = false) {
    self.init(topic: topic, payload: Array(text.utf8), isRetained: isRetained)
  }
}

/// What becomes of a message while it waits for the broker.
public enum MessageKind: Sendable, Hashable {
  /// Replaces one of its topic that waits.
  case state
  /// Each is handed over, if the broker is there within five minutes.
  case event
}
