import Foundation
import Signalling
import TestSupport
import Testing

@testable import HubRedis

struct GeoSearchPlanTests {
  private let berlin = UserLocation(latitude: 52.52, longitude: 13.405)
  private let taveuni = UserLocation(latitude: -16.8, longitude: 179.99)
  private let tromsø = UserLocation(latitude: 69.65, longitude: 18.96)

  @Test func oneCircleWithSlackServesMostPlaces() throws {
    let plan = GeoSearchPlan(origin: berlin, radius: 10_000)
    let circle = try #require(plan.circles.first)
    #expect(plan.circles.count == 1 && !plan.readsPolarSet)
    #expect(circle.center == GeoCoordinate(berlin))
    #expect(abs(circle.radius - 10_051) < 0.001)
    #expect(!circle.readsWholeSet)
  }

  @Test(arguments: [179.99, -179.99, 180, -180])
  func aCircleOnEitherSideOfTheAntimeridian(longitude: Double) {
    let plan = GeoSearchPlan(origin: UserLocation(latitude: -16.8, longitude: longitude), radius: 10_000)
    #expect(plan.circles.count == 2)
    #expect(plan.circles.contains { (179...179.999_999).contains($0.center.longitude) })
    #expect(plan.circles.contains { (-180...(-179)).contains($0.center.longitude) })
    #expect(plan.circles.allSatisfy { $0.radius < 12_000 })
  }

  @Test func noSecondCircleWhereTheAntimeridianIsOutOfReach() {
    #expect(GeoSearchPlan(origin: taveuni, radius: 1_000).circles.count == 1)
    #expect(GeoSearchPlan(origin: taveuni, radius: 1_100).circles.count == 2)
  }

  @Test func longitude180IsStoredAsMinus180() {
    for longitude in [180, 180.0.nextDown, -180] {
      let coordinate = GeoCoordinate(UserLocation(latitude: 10, longitude: longitude))
      #expect(coordinate?.longitude == -180)
    }
    #expect(GeoCoordinate(UserLocation(latitude: 10, longitude: 179.999_999))?.longitude == 179.999_999)
  }

  @Test func placesBeyond80DegreesBelongIntoThePolarSet() {
    #expect(GeoCoordinate(UserLocation(latitude: 80, longitude: 0)) != nil)
    #expect(GeoCoordinate(UserLocation(latitude: 80.0.nextUp, longitude: 0)) == nil)
    #expect(GeoCoordinate(UserLocation(latitude: -90, longitude: 0)) == nil)
  }

  @Test func thePolarSetIsReadForThoseWhomRoundingPutThere() {
    #expect(GeoSearchPlan(origin: UserLocation(latitude: 79.989, longitude: 20), radius: 600).readsPolarSet)
    #expect(!GeoSearchPlan(origin: UserLocation(latitude: 79.98, longitude: 20), radius: 600).readsPolarSet)
  }

  @Test(arguments: [1, -1.0])
  func thePolarSetAloneServesWhoIsFarFrom80Degrees(hemisphere: Double) {
    let origin = UserLocation(latitude: 85 * hemisphere, longitude: 20)
    #expect(GeoSearchPlan(origin: origin, radius: 100_000).circles.isEmpty)
    #expect(GeoSearchPlan(origin: origin, radius: 100_000).readsPolarSet)
    #expect(!GeoSearchPlan(origin: origin, radius: 600_000).circles.isEmpty)
  }

  @Test func anOriginBeyond80DegreesIsClampedAndItsRadiusGrows() throws {
    let plan = GeoSearchPlan(origin: UserLocation(latitude: 80.5, longitude: 20), radius: 100_000)
    let circle = try #require(plan.circles.first)
    #expect(plan.circles.count == 1 && plan.readsPolarSet)
    #expect(circle.center.latitude == 80)
    #expect(abs(circle.radius - (100_501 + 55_597)) < 1)
  }

  @Test func aCircleAroundAPoleReadsTheWholeSet() {
    #expect(!GeoSearchPlan(origin: tromsø, radius: 2_200_000).circles.contains { $0.readsWholeSet })
    let plan = GeoSearchPlan(origin: tromsø, radius: 2_300_000)
    #expect(plan.circles.map(\.radius) == [2_505_000])
    #expect(plan.circles.allSatisfy { $0.readsWholeSet } && plan.readsPolarSet)
    #expect(GeoSearchPlan(origin: berlin, radius: 4_200_000).circles.map(\.radius) == [5_010_000])
  }

  @Test(arguments: [20_015_115, 1e12, .infinity, .nan])
  func halfTheCircumferenceReachesEverybody(radius: Double) {
    let plan = GeoSearchPlan(origin: berlin, radius: radius)
    #expect(plan.circles.count == 1 && plan.readsPolarSet)
    #expect(plan.circles[0].radius > 20_030_000)
  }

  @Test func aNegativeRadiusReachesTheOriginAlone() {
    #expect(GeoSearchPlan(origin: berlin, radius: -5).circles.map(\.radius) == [1])
  }

  /// Places and origins lie densely near poles, the antimeridian and the equator.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func nobodyWithinTheRadiusIsMissed(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let members = (0..<1_000).map { _ in PlacedUser(at: .random(using: &random)) }
    for _ in 0..<250 {
      let origin = PlacedUser(at: .random(using: &random))
      let radius = pow(10, Double.random(in: 2...7.3, using: &random))
      let plan = GeoSearchPlan(origin: origin.location, radius: radius)
      #expect(plan.circles.allSatisfy { $0.isSearchedCompletely })
      // Some more as near as the radius allows: the thousand are seldom within a small one.
      let edge = (0..<20).map { _ in PlacedUser(at: origin.place(at: radius * 0.999_999, using: &random)) }
      let missed = (members + edge).filter { $0.distance(to: origin) <= radius && !plan.finds($0) }
      #expect(missed.isEmpty, "\(origin.location), \(radius) m: \(plan)")
    }
  }
}

// MARK: - What Redis finds

extension GeoSearchPlan {
  fileprivate func finds(_ user: PlacedUser) -> Bool {
    guard let stored = user.stored else { return readsPolarSet }
    return circles.contains { $0.finds(stored) }
  }
}

extension GeoCircle {
  /// Redis measures on a larger Earth, and has rounded the member's position by 0.3 m at most.
  fileprivate func finds(_ member: PlacedUser) -> Bool {
    let redisDistance = member.distance(to: center) * (6_372_797.560856 / 6_371_008.8) + 0.5
    let crossesAntimeridian = abs(member.location.longitude - center.longitude) > 180
    return redisDistance <= radius && (readsWholeSet || !crossesAntimeridian)
  }

  /// Redis accepts the center, and its box of longitudes and latitudes is one.
  fileprivate var isSearchedCompletely: Bool {
    let isCentered = (-80...80).contains(center.latitude) && (-180..<180).contains(center.longitude)
    return isCentered && (readsWholeSet || abs(center.latitude) + radius / 111_195 < 90.001)
  }
}

/// A location with its unit vector.
private struct PlacedUser {
  let location: UserLocation
  let vector: SIMD3<Double>

  init(at location: UserLocation) {
    let (latitude, longitude) = (location.latitude * .pi / 180, location.longitude * .pi / 180)
    self.location = location
    vector = [cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)]
  }

  init(at coordinate: GeoCoordinate) {
    self.init(at: UserLocation(latitude: coordinate.latitude, longitude: coordinate.longitude))
  }

  /// Where the GEO set has it.
  var stored: PlacedUser? { GeoCoordinate(location).map(PlacedUser.init(at:)) }

  func distance(to other: PlacedUser) -> Double {
    let difference = vector - other.vector
    return 2 * 6_371_008.8 * asin(min(1, (difference * difference).sum().squareRoot() / 2))
  }

  func distance(to coordinate: GeoCoordinate) -> Double { distance(to: PlacedUser(at: coordinate)) }

  /// A place at `distance` metres in any direction.
  func place(at distance: Double, using random: inout SeededGenerator) -> UserLocation {
    let (angle, bearing) = (distance / 6_371_008.8, Double.random(in: 0..<(2 * .pi), using: &random))
    let latitude = location.latitude * .pi / 180
    let sine = sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(bearing)
    let east = atan2(sin(bearing) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * sine)
    return UserLocation(
      latitude: asin(max(-1, min(1, sine))) * 180 / .pi,
      longitude: max(-180, min(180, remainder(location.longitude + east * 180 / .pi, 360))))
  }
}

extension UserLocation {
  fileprivate static func random(using random: inout SeededGenerator) -> UserLocation {
    let sign = Bool.random(using: &random) ? 1.0 : -1
    let tiny = pow(10, Double.random(in: -6...1, using: &random))
    let longitude = Double.random(in: -180...180, using: &random)
    let latitude = asin(Double.random(in: -1...1, using: &random)) * 180 / .pi
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: UserLocation(latitude: sign * Double.random(in: 60...90, using: &random), longitude: longitude)
    case 1: UserLocation(latitude: sign * (90 - tiny), longitude: longitude)
    case 2: UserLocation(latitude: sign * (80 + tiny / 10), longitude: longitude)
    case 3: UserLocation(latitude: latitude, longitude: sign * (180 - tiny))
    case 4: UserLocation(latitude: sign * tiny, longitude: longitude)
    case 5: UserLocation(latitude: latitude, longitude: sign * 180)
    case 6: UserLocation(latitude: sign * (80 - tiny), longitude: -sign * (180 - tiny))
    default: UserLocation(latitude: latitude, longitude: longitude)
    }
  }
}
