internal import Signalling

#if canImport(Glibc)
  internal import Glibc
#else
  internal import FoundationEssentials
#endif

/// Which searches in Redis find everyone within a radius: `GEOSEARCH` circles in the GEO set, and perhaps the polar
/// set.
///
/// What they find is a superset, and may name a member twice: the caller measures each distance again. Every radius has
/// a slack of 0.5 % and one metre, for Redis calculates with a larger Earth (0.03 %) and rounds positions (0.3 m).
struct GeoSearchPlan: Sendable, Hashable {
  /// None, one, or two on either side of the antimeridian.
  let circles: [GeoCircle]
  /// Whether the circle reaches those whom ``GeoCoordinate`` does not take.
  let readsPolarSet: Bool

  /// - Parameters:
  ///   - origin: a plausible place.
  ///   - radius: metres; half the circumference, more, or not a number: everyone.
  init(origin: UserLocation, radius: Double) {
    let limited = radius < halfCircumference ? max(0, radius) : halfCircumference
    let reach = limited * 1.005 + 1
    let beyond = max(0, abs(origin.latitude) - GeoCoordinate.maximumLatitude) * metresPerDegree
    readsPolarSet = abs(origin.latitude) * metresPerDegree + reach >= polarSetLatitude * metresPerDegree
    let circle = GeoCircle(center: GeoCoordinate(clamping: origin), radius: reach + beyond)
    circles = reach < beyond ? [] : circle.parts
  }
}

/// A place that Redis finds again, in degrees: the longitude in -180..<180, the latitude in -80...80.
///
/// Members are stored and circles centred at such places alone. `GEOADD` refuses latitudes beyond 85.05°. It accepts a
/// longitude of 180° but gives it a hash of one bit too many: no search finds that member, and a search around such a
/// place misses those across the antimeridian. Here 180° is -180°.
struct GeoCoordinate: Sendable, Hashable {
  static let maximumLatitude = 80.0

  let longitude: Double
  let latitude: Double

  /// Nil for a place near a pole: its user goes into the polar set.
  init?(_ location: UserLocation) {
    guard abs(location.latitude) <= Self.maximumLatitude else { return nil }
    self.init(clamping: location)
  }

  fileprivate init(clamping location: UserLocation) {
    self.init(
      longitude: location.longitude,
      latitude: max(-Self.maximumLatitude, min(Self.maximumLatitude, location.latitude)))
  }

  fileprivate init(longitude: Double, latitude: Double) {
    // Closer to 180 than this, Redis' division could round up to it.
    self.longitude = longitude < 180 - 1e-9 ? longitude : -180
    self.latitude = latitude
  }
}

/// One `GEOSEARCH … FROMLONLAT longitude latitude BYRADIUS radius m`.
struct GeoCircle: Sendable, Hashable {
  let center: GeoCoordinate
  /// Metres.
  let radius: Double

  /// Whether Redis compares the distance of each member, whatever its cell.
  ///
  /// Redis reads a cell of its grid and the eight around it. From a quarter of the grid's half width (20,037.7 km) on,
  /// half as much where cells are narrow, the grid has only four cells.
  var readsWholeSet: Bool { radius >= wholeSetRadius }

  private var wholeSetRadius: Double { abs(center.latitude) > 66 ? 2_505_000 : 5_010_000 }

  private var reachesPole: Bool { abs(center.latitude) + radius / metresPerDegree >= 90 }

  /// Circles that together hold this one, each of which Redis searches completely.
  ///
  /// Cells are chosen by a box of longitudes and latitudes, which is wrong for a circle around a pole: such a circle
  /// grows until Redis reads the whole set.
  fileprivate var parts: [GeoCircle] {
    let parts = reachesPole ? [self] : [self] + [acrossAntimeridian].compactMap(\.self)
    guard parts.contains(where: { $0.reachesPole || $0.readsWholeSet }) else { return parts }
    return [GeoCircle(center: center, radius: max(radius, wholeSetRadius))]
  }

  /// A circle that holds what of this one lies beyond the antimeridian, centred on its far side; nil if nothing does.
  ///
  /// By the triangle inequality it is large enough when it is larger by the way along the parallel, which no great
  /// circle exceeds. The circle must not reach a pole.
  private var acrossAntimeridian: GeoCircle? {
    let halfWidth = asin(sin(radians(radius / metresPerDegree)) / cos(radians(center.latitude)))
    let toAntimeridian = radians(180 - abs(center.longitude))
    guard halfWidth >= toAntimeridian else { return nil }
    let farSide = center.longitude < 0 ? 180 - farSideGap : -180
    let way = (toAntimeridian + radians(farSideGap)) * cos(radians(center.latitude)) * earthRadius
    return GeoCircle(center: GeoCoordinate(longitude: farSide, latitude: center.latitude), radius: radius + way)
  }
}

/// Mean Earth radius in metres.
private let earthRadius = 6_371_008.8
private let halfCircumference = earthRadius * .pi
private let metresPerDegree = halfCircumference / 180
/// The polar set is read from here on, in degrees: a user whose rounded position alone is beyond 80° may be in it too.
private let polarSetLatitude = GeoCoordinate.maximumLatitude - 0.01
/// Degrees (0.1 m) between 180°, where no circle can be centred, and where one is centred instead.
private let farSideGap = 1e-6

private func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
