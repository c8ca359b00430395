import Signalling
import TestSupport
import Testing

@testable import HubCore

/// A directory finds by its grid whom measuring everybody finds.
struct PlaceGridTests {
  private static let extremes: [UserLocation] = [
    UserLocation(latitude: 90, longitude: 0), UserLocation(latitude: -90, longitude: 180),
    UserLocation(latitude: 0, longitude: 180), UserLocation(latitude: 0, longitude: -180),
    UserLocation(latitude: 89.95, longitude: -170), UserLocation(latitude: 51.25, longitude: 179.999),
  ]

  private func place(_ random: inout SeededGenerator) -> UserLocation {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: Self.extremes.randomElement(using: &random) ?? Self.extremes[0]
    case 1:
      UserLocation(latitude: .random(in: 88...90, using: &random), longitude: .random(in: -180...180, using: &random))
    case 2:
      UserLocation(latitude: .random(in: -20...20, using: &random), longitude: .random(in: 178...180, using: &random))
    case 3:
      UserLocation(
        latitude: .random(in: -20...20, using: &random), longitude: .random(in: -180 ... -178, using: &random))
    default:
      UserLocation(latitude: .random(in: 40...55, using: &random), longitude: .random(in: 0...20, using: &random))
    }
  }

  private func entry(_ number: Int, _ location: UserLocation?) -> PresenceEntry {
    PresenceEntry(
      principal: .device("d\(number)"), location: location, status: .available, isAudio: true, isVideo: true,
      renewedAt: .now, isReachable: true)
  }

  private func distances(
    _ places: [Int: UserLocation], from origin: UserLocation, within: Double?, limit: Int, isExact: Bool
  ) -> [Double] {
    let all = places.values.map { (isExact ? $0 : $0.rounded).distance(to: origin) }
    return Array(all.filter { $0 <= within ?? .infinity }.sorted().prefix(limit))
  }

  @Test(arguments: [UserRole.operator, .user]) func findsWhomMeasuringFinds(role: UserRole) {
    var random = SeededGenerator(seed: 11)
    var directory = Directory()
    var places: [Int: UserLocation] = [:]
    for step in 0..<3_000 {
      // Some move, some leave, so that slots change.
      let number = Int.random(in: 0..<1_200, using: &random)
      if step.isMultiple(of: 5) {
        directory.remove(userID: "d\(number)")
        places[number] = nil
      } else {
        places[number] = place(&random)
        directory.update(entry(number, places[number]))
      }
      guard step > 800, step.isMultiple(of: 20) else { continue }
      let origin = place(&random)
      let radii: [Double] = [0, 500, 30_000, 400_000, 3_000_000]
      let radius = radii.randomElement(using: &random) ?? 0
      let within: Double? = radius == 0 ? nil : radius
      let limit: Int = [1, 20, 1_000].randomElement(using: &random) ?? 1
      let found = directory.nearby(
        NearbyQuery(origin: origin, within: within, limit: limit), asker: .person("asker", role: role))
      let expected = distances(places, from: origin, within: within, limit: limit, isExact: role == .operator)
      #expect(found.count == expected.count, "around \(origin) within \(String(describing: within)) of \(limit)")
      for (user, distance) in zip(found, expected) { #expect(abs((user.distance ?? -1) - distance) < 0.01) }
    }
  }
}
