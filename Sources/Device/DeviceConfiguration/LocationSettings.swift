import ConfigFile
public import Signalling

/// A TCP service by host and port.
public struct ServiceEndpoint: Sendable, Hashable {
  /// A name or a numeric address, IPv6 without brackets.
  public var host: String
  public var port: UInt16

  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `host:port` or `[address]:port`.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }
}

/// `[location]`: which position is published.
public struct LocationSettings: Sendable, Hashable {
  /// Whether any position is published.
  public var isEnabled: Bool
  /// The place of a device that does not move; gpsd is not asked then.
  public var staticLocation: UserLocation?
  /// Positions are rounded to this many metres before they leave the device; nil publishes them as they are.
  public var precision: Double?
  /// Where gpsd listens; nil when it is not used.
  public var gpsd: ServiceEndpoint?

  init(_ table: ConfigTable) {
    isEnabled = table.bool("enabled", default: true)
    staticLocation = Self.staticLocation(table)
    precision = table.distance("precision")
    if let precision, precision <= 0 { table.addError("precision must be more than nothing", at: "precision") }
    let gpsd = table.value("gpsd", parse: Self.gpsd) ?? ServiceEndpoint(host: "127.0.0.1", port: 2_947)
    self.gpsd = isEnabled && staticLocation == nil ? gpsd : nil
  }

  private static func staticLocation(_ table: ConfigTable) -> UserLocation? {
    guard table.contains("static") else { return nil }
    let place = table.table("static")
    for key in ["latitude", "longitude"] where !place.contains(key) { place.addMissing(key, example: "52.5163") }
    // Both are read before either is judged, so that a mistake in one leaves the other known.
    let (latitude, longitude) = (place.number("latitude", in: -90...90), place.number("longitude", in: -180...180))
    guard let latitude, let longitude else { return nil }
    return UserLocation(latitude: latitude, longitude: longitude)
  }

  private static func gpsd(_ text: String) throws(ConfigValueError) -> ServiceEndpoint {
    guard let endpoint = ServiceEndpoint(text) else {
      throw ConfigValueError("gpsd cannot be \"\(text)\"", remedy: "write for example gpsd = \"127.0.0.1:2947\"")
    }
    return endpoint
  }
}
