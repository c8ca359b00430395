internal import FoundationEssentials
public import Signalling

#if canImport(Glibc)
  internal import Glibc
#endif

/// Mean Earth radius in metres.
let earthRadius = 6_371_008.8

/// A place as a unit vector from the Earth's centre: distances compare by chord, without trigonometry.
struct UnitVector {
  var vector: SIMD3<Double>

  init(_ location: UserLocation) {
    let latitude = location.latitude * .pi / 180
    let longitude = location.longitude * .pi / 180
    vector = [cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)]
  }

  func squaredChord(to other: UnitVector) -> Double {
    let difference = vector - other.vector
    return (difference * difference).sum()
  }

  /// The great-circle distance in metres of two places whose squared chord is given: the haversine formula, whose
  /// haversine is a quarter of the squared chord.
  static func distance(squaredChord: Double) -> Double {
    2 * earthRadius * asin(min(1, squaredChord.squareRoot() / 2))
  }

  /// The inverse of ``distance(squaredChord:)``; distances of half the circumference and more include everyone.
  static func squaredChord(distance: Double) -> Double {
    let halfAngle = distance / earthRadius / 2
    guard halfAngle < .pi / 2 else { return 4 }
    let chord = 2 * sin(halfAngle)
    return chord * chord
  }
}

extension UserLocation {
  /// Whether the numbers can be a place on Earth.
  public var isPlausible: Bool {
    let isAccuracyPlausible = horizontalAccuracy.map { $0.isFinite && $0 >= 0 } ?? true
    return (-90...90).contains(latitude) && (-180...180).contains(longitude) && isAccuracyPlausible
  }

  /// The great-circle distance in metres.
  public func distance(to other: UserLocation) -> Double {
    UnitVector.distance(squaredChord: UnitVector(self).squaredChord(to: UnitVector(other)))
  }

  /// Rounded to a grid of about one kilometre: 0.01° of latitude, and as much longitude as is as wide there.
  public var rounded: UserLocation {
    let step = 0.01
    let gridLatitude = (latitude / step).rounded() * step
    let narrowing = max(cos(gridLatitude * .pi / 180), 0.01)
    let longitudeStep = step / narrowing
    let gridLongitude = (longitude / longitudeStep).rounded() * longitudeStep
    return UserLocation(
      latitude: gridLatitude, longitude: max(-180, min(180, gridLongitude)),
      horizontalAccuracy: max(1_000, horizontalAccuracy ?? 0))
  }
}
