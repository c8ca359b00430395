internal import MediaCore

/// A place as it is written into frames.
public struct StampedPosition: Sendable, Hashable {
  /// Degrees, north and east positive.
  public var latitude: Double
  /// See ``latitude``.
  public var longitude: Double

  /// Takes the values unchecked.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Characters at most.
  public static let longest = 24

  /// The text while no position is known.
  public static let unknown: [UInt8] = Array("no position".utf8)

  /// Degrees with five digits, a metre or so, as in `52.51630° N 13.37770° E`; codes of ``BitmapFont``.
  public var text: [UInt8] {
    Self.text(latitude, limit: 90, directions: ("N", "S")) + [BitmapFont.space]
      + Self.text(longitude, limit: 180, directions: ("E", "W"))
  }

  private static let decimals = 5

  private static func text(_ degrees: Double, limit: Double, directions: (String, String)) -> [UInt8] {
    let parts = Int(saturating: (min(degrees.magnitude, limit) * 100_000).rounded())
    let fraction = String(parts % 100_000)
    let padding = String(repeating: "0", count: decimals - fraction.utf8.count)
    return Array("\(parts / 100_000).\(padding)\(fraction)".utf8) + [BitmapFont.degree, BitmapFont.space]
      + Array((degrees < 0 ? directions.1 : directions.0).utf8)
  }
}
