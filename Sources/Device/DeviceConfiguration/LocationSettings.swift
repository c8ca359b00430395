public import ConfigFile
public import Signalling

/// A TCP service by host and port.
public struct ServiceEndpoint: Sendable, Hashable, CustomStringConvertible {
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

  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// `[location]`: which position is published.
public struct LocationSettings: SettingGroup, Hashable {
  /// Whether any position is published.
  public var isEnabled = true
  /// The place of a device that does not move; gpsd is not asked then.
  public var staticLocation: UserLocation?
  /// Positions are rounded to this many metres before they leave the device; nil publishes them as they are.
  public var precision: Double?
  /// Where gpsd listens, if it is used.
  public var gpsdAddress = ServiceEndpoint(host: "127.0.0.1", port: 2_947)

  /// Where gpsd listens; nil when it is not used.
  public var gpsd: ServiceEndpoint? { isEnabled && staticLocation == nil ? gpsdAddress : nil }

  public init() {}

  static let settings: [Setting<LocationSettings>] = [
    Setting("enabled", \.isEnabled, .bool, "Whether others see where the device is."),
    Setting(
      "static", \.staticLocation, SettingType("table of latitude and longitude", read: staticLocation),
      example: "{ latitude = 52.5163, longitude = 13.3777 }", "The position of a device that does not move."),
    Setting(
      "precision", \.precision, .distance, example: "\"1km\"",
      """
      Round the position to this distance before it leaves the device. The track beside an archive on this device's \
      own disk stays exact; with `enabled = false` there is none.
      """),
    Setting(
      "gpsd", \.gpsdAddress, .text("host and port", text: { "\($0)" }, parse: gpsd), effect: .restart,
      """
      Where gpsd listens; it may be absent. Positions that cannot be true (too far from the last one for the time \
      between, or of another time than the clock's) are ignored; after five minutes without a new one the last is no \
      longer shown.
      """),
  ]

  static func check(_ table: ConfigTable, _ settings: inout LocationSettings) {
    if let precision = settings.precision, precision <= 0 {
      table.addError("precision must be more than nothing", at: "precision")
    }
  }

  private static func staticLocation(_ table: ConfigTable, _ key: String) -> UserLocation? {
    guard table.node(key) != nil else { return nil }
    let place = table.table(key)
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
