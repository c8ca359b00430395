public import HTTPConnections
public import MediaCore
public import MediaPlaneAPI
public import TLSClient

/// A server to which the device publishes, and when.
public struct PublishTarget: Sendable {
  /// When the device publishes.
  public enum Occasion: String, Sendable, Hashable, CaseIterable {
    case always
    /// While a call is up.
    case calls
    /// While a source of events notices something, and shortly after.
    case events
  }

  public var name: String
  /// Of the server's WHIP endpoint.
  public var endpoint: HTTPLocation
  public var occasion: Occasion
  public var view: DeviceView
  public var kinds: Set<MediaKind>
  /// Certificates (PEM) of authorities that are trusted besides the system's.
  public var authorityFile: String?
  /// Whether the server is reached through a proxy.
  public var route = ProxyRoute.direct
  /// Reads the bearer token, anew for each attempt; nil where the server takes none. Throws errors for people.
  public var readToken: @Sendable () throws -> String?

  public init(
    name: String, endpoint: HTTPLocation, occasion: Occasion, view: DeviceView, kinds: Set<MediaKind>,
    authorityFile: String? = nil, readToken: @escaping @Sendable () throws -> String?
  ) {
    self.name = name
    self.endpoint = endpoint
    self.occasion = occasion
    self.view = view
    self.kinds = kinds
    self.authorityFile = authorityFile
    self.readToken = readToken
  }
}
