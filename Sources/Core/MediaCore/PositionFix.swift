/// A position as a navigation receiver reported it, checked to be finite and in range.
public struct PositionFix: Sendable, Equatable {
  /// Degrees, WGS 84, -90 … 90.
  public var latitude: Double
  /// Degrees, WGS 84, -180 … 180.
  public var longitude: Double
  /// Estimated horizontal error in metres, when the receiver reports it.
  public var horizontalError: Double?
  /// Whether the fix has height, too (gpsd's mode 3).
  public var isThreeDimensional: Bool
  /// When the receiver was there, by its own clock, in seconds since 1970; nil when not reported. Better than the
  /// wall clock, which may not have been set yet.
  public var time: Int64?
  /// Over ground, metres per second, when the receiver reports it.
  public var speed: Double?
  /// The estimated error of the speed, metres per second, when the receiver reports it.
  public var speedError: Double?

  /// Takes the values unchecked: the maker of a fix checks them.
  public init(
    latitude: Double, longitude: Double, horizontalError: Double? = nil, isThreeDimensional: Bool = false,
    time: Int64? = nil, speed: Double? = nil, speedError: Double? = nil
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.horizontalError = horizontalError
    self.isThreeDimensional = isThreeDimensional
    self.time = time
    self.speed = speed
    self.speedError = speedError
  }
}
