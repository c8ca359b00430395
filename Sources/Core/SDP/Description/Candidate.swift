public import MediaCore

/// An ICE candidate as its attribute writes it (RFC 8839 §5.1).
///
/// Every well-formed candidate parses; ``isUsable`` separates those that an agent with one UDP component can use from TCP
/// candidates, mDNS names and RTCP components.
public struct Candidate: Sendable, Hashable {
  /// How the address was found (RFC 8445 §4); raw values are those of `typ`.
  public enum Kind: String, Sendable, Hashable {
    case host
    case serverReflexive = "srflx"
    case peerReflexive = "prflx"
    case relay
  }

  /// The protocol of the path.
  public enum Transport: String, Sendable, Hashable {
    case udp
    case tcp
  }

  /// 1 to 32 ICE characters; equal for candidates that are likely to fail together.
  public var foundation: String
  /// 1 for RTP, and for both with rtcp-mux.
  public var component: Int
  /// The protocol of the path.
  public var transport: Transport
  /// Higher is preferred; 1 to 2³¹ − 1 by RFC 8445 §5.1.2.
  public var priority: UInt32
  /// A numeric address, or a name such as an mDNS one.
  public var host: String
  /// 9 for active TCP candidates (RFC 6544 §4.5).
  public var port: UInt16
  /// How the address was found.
  public var kind: Kind
  /// `raddr`: the base, or what the relay is reached from; senders may hide it.
  public var relatedHost: String?
  /// `rport`; see ``relatedHost``.
  public var relatedPort: UInt16?
  /// `active`, `passive` or `so` (RFC 6544).
  public var tcpType: String?
  /// `ufrag`, the ICE generation that the candidate belongs to (RFC 8838).
  public var usernameFragment: String?

  /// Takes the values unchecked.
  public init(
    foundation: String, component: Int = 1, transport: Transport = .udp, priority: UInt32, host: String, port: UInt16,
    kind: Kind, relatedHost: String? = nil, relatedPort: UInt16? = nil
  ) {
    self.foundation = foundation
    self.component = component
    self.transport = transport
    self.priority = priority
    self.host = host
    self.port = port
    self.kind = kind
    self.relatedHost = relatedHost
    self.relatedPort = relatedPort
  }

  /// A UDP host candidate for component 1.
  public init(foundation: String, priority: UInt32, address: TransportAddress) {
    self.init(foundation: foundation, priority: priority, host: address.host, port: address.port, kind: .host)
  }

  /// The transport address; nil when ``host`` is a name.
  public var address: TransportAddress? { TransportAddress(host: host, port: port) }

  /// A name that multicast DNS resolves, which browsers hide addresses behind.
  public var isMulticastDNS: Bool { host.lowercased().hasSuffix(".local") }

  /// A numeric UDP address of component 1.
  public var isUsable: Bool { transport == .udp && component == 1 && port != 0 && address != nil }
}

extension Candidate {
  /// Parses `candidate:…`, also without that prefix or with `a=` in front; nil when it is malformed or of an unknown
  /// transport or kind, which RFC 8839 §5.1 says to ignore.
  public init?(parsing text: String) {
    guard text.utf8.count <= 1_024 else { return nil }
    var rest = Substring(text)
    if rest.hasPrefix("a=") { rest.removeFirst(2) }
    if rest.hasPrefix("candidate:") { rest.removeFirst("candidate:".count) }
    let fields = words(rest)
    guard fields.count >= 8, fields[6] == "typ", (1...32).contains(fields[0].utf8.count) else { return nil }
    guard let component: Int = decimal(fields[1]), (1...256).contains(component) else { return nil }
    guard let transport = Transport(rawValue: fields[2].lowercased()) else { return nil }
    guard let priority: UInt32 = decimal(fields[3]), let port: UInt16 = decimal(fields[5]) else { return nil }
    guard let kind = Kind(rawValue: fields[7].lowercased()) else { return nil }
    self.init(
      foundation: fields[0], component: component, transport: transport, priority: priority, host: fields[4],
      port: port, kind: kind)
    readExtensions(fields[8...])
  }

  /// The rest is pairs of names and values.
  private mutating func readExtensions(_ fields: ArraySlice<String>) {
    var index = fields.startIndex
    while index + 1 < fields.endIndex {
      let value = fields[index + 1]
      switch fields[index] {
      case "raddr": relatedHost = value
      case "rport": relatedPort = decimal(value)
      case "tcptype": tcpType = value
      case "ufrag": usernameFragment = value
      default: break
      }
      index += 2
    }
  }
}

extension Candidate: CustomStringConvertible {
  /// The attribute's text, from `candidate:` on, as trickled candidates carry it.
  public var description: String {
    var text =
      "candidate:\(foundation) \(component) \(transport.rawValue) \(priority) \(host) \(port) typ \(kind.rawValue)"
    if let relatedHost { text += " raddr \(relatedHost)" }
    if let relatedPort { text += " rport \(relatedPort)" }
    if let tcpType { text += " tcptype \(tcpType)" }
    if let usernameFragment { text += " ufrag \(usernameFragment)" }
    return text
  }
}
