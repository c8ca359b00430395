/// A place on the earth, taken for a sphere, as a vector of length 1: neither poles nor the antimeridian are special.
public struct EarthPoint: Hashable, Sendable {
  /// Metres: the mean radius. Distances are wrong by half a percent at most, since the earth is no sphere.
  public static let earthRadius = 6_371_009.0

  let x: Double
  let y: Double
  let z: Double

  init(x: Double, y: Double, z: Double) {
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// Degrees, WGS 84; nil beyond -90 … 90 and -180 … 180.
  public init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    let radius = cosine(degrees: latitude)
    self.init(
      x: radius * cosine(degrees: longitude), y: radius * sine(degrees: longitude), z: sine(degrees: latitude))
  }

  /// Metres along the surface.
  public func distance(to other: EarthPoint) -> Double {
    let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
    return Self.earthRadius * 2 * arcsine((dx * dx + dy * dy + dz * dz).squareRoot() / 2)
  }

  func dot(_ other: EarthPoint) -> Double { x * other.x + y * other.y + z * other.z }

  private func cross(_ other: EarthPoint) -> EarthPoint {
    EarthPoint(x: y * other.z - z * other.y, y: z * other.x - x * other.z, z: x * other.y - y * other.x)
  }

  private var unit: EarthPoint? {
    let length = dot(self).squareRoot()
    return length > 0 ? EarthPoint(x: x / length, y: y / length, z: z / length) : nil
  }

  /// The centre of some points; nil where they surround the earth, or there is none.
  static func middle(of points: [EarthPoint]) -> EarthPoint? {
    let sum = points.reduce(EarthPoint(x: 0, y: 0, z: 0)) {
      EarthPoint(x: $0.x + $1.x, y: $0.y + $1.y, z: $0.z + $1.z)
    }
    return sum.unit
  }

  /// Two directions at a right angle along the surface; which ones does not matter.
  var tangents: (EarthPoint, EarthPoint) {
    let isPolar = abs(z) > 0.7
    let axis = EarthPoint(x: isPolar ? 1 : 0, y: 0, z: isPolar ? 0 : 1)
    let first = axis.cross(self).unit ?? axis
    return (first, cross(first))
  }
}

/// The arcsine for angles from 0 to a right angle, in radians; sines beyond 1 count as 1.
func arcsine(_ sine: Double) -> Double {
  guard sine <= 0.5 else { return .pi / 2 - 2 * arcsine(max((1 - min(sine, 1)) / 2, 0).squareRoot()) }
  var (term, sum, order) = (sine, sine, 1.0)
  while order < 51 {
    term *= sine * sine * order / (order + 1)
    sum += term / (order + 2)
    order += 2
  }
  return sum
}

private func cosine(degrees: Double) -> Double { sine(degrees: 90 - abs(degrees)) }

/// Of -180 to 180 degrees, by the Taylor series: there is no library for it everywhere that this runs.
private func sine(degrees: Double) -> Double {
  let folded = degrees > 90 ? 180 - degrees : degrees < -90 ? -180 - degrees : degrees
  let angle = folded * .pi / 180
  var (term, sum, order) = (angle, angle, 1.0)
  while order < 25 {
    term *= -angle * angle / ((order + 1) * (order + 2))
    sum += term
    order += 2
  }
  return sum
}
