import Signalling
import TestSupport
import Testing

@testable import HubCore

struct DirectoryTests {
  private let berlin = UserLocation(latitude: 52.52, longitude: 13.405)
  private let potsdam = UserLocation(latitude: 52.39886, longitude: 13.06566)
  private let paris = UserLocation(latitude: 48.8566, longitude: 2.3522)
  private let admin = Principal.person("admin", role: .operator)

  private func directory(_ places: [(String, UserLocation?)], groups: Set<String> = ["default"]) -> Directory {
    var directory = Directory()
    for (id, location) in places { directory.update(entry(.device(id, groups: groups), location)) }
    return directory
  }

  private func entry(_ principal: Principal, _ location: UserLocation?) -> PresenceEntry {
    PresenceEntry(
      principal: principal, location: location, status: .available, isAudio: true, isVideo: true, renewedAt: .now,
      isReachable: true)
  }

  @Test func nearestFirstAndThePlacelessLastByTitle() {
    var directory = directory([("z", nil), ("paris", paris), ("a", nil), ("berlin", berlin), ("potsdam", potsdam)])
    let found = directory.nearby(NearbyQuery(origin: berlin), asker: admin)
    #expect(found.map(\.userID) == ["berlin", "potsdam", "paris", "a", "z"])
    #expect(found[0].distance == 0)
    #expect(abs((found[1].distance ?? 0) - 26_630) < 100)
    #expect(abs((found[2].distance ?? 0) - 877_460) < 1_000)
  }

  @Test func withinAndLimitSelect() {
    var directory = directory([("paris", paris), ("berlin", berlin), ("potsdam", potsdam), ("nowhere", nil)])
    let near = directory.nearby(NearbyQuery(origin: berlin, within: 100_000), asker: admin)
    #expect(near.map(\.userID) == ["berlin", "potsdam"])
    let one = directory.nearby(NearbyQuery(origin: paris, limit: 1), asker: admin)
    #expect(one.map(\.userID) == ["paris"])
    let everybodyWithAPlace = directory.nearby(NearbyQuery(origin: berlin, within: 30_000_000), asker: admin)
    #expect(everybodyWithAPlace.count == 3)
  }

  @Test func neverOneselfAndOnlyOnesGroups() {
    var directory = directory([("theirs", berlin)], groups: ["theirs"])
    directory.update(entry(.person("admin", role: .operator, groups: ["ours", "both"]), berlin))
    directory.update(entry(.device("shared", groups: ["both"]), berlin))
    let asker = Principal.person("admin", role: .operator, groups: ["ours", "both"])
    #expect(directory.nearby(NearbyQuery(), asker: asker).map(\.userID) == ["shared"])
  }

  @Test func moreGroupsThanBitsStillKeepApart() {
    var directory = Directory()
    for number in 0..<100 { directory.update(entry(.device("d\(number)", groups: ["g\(number)"]), nil)) }
    for number in [0, 62, 63, 64, 99] {
      let asker = Principal.person("p", groups: ["g\(number)"])
      #expect(directory.nearby(NearbyQuery(), asker: asker).map(\.userID) == ["d\(number)"])
    }
  }

  @Test func onesOwnPositionServesAsOrigin() {
    var directory = directory([("paris", paris), ("potsdam", potsdam)])
    directory.update(entry(admin, berlin))
    #expect(directory.nearby(NearbyQuery(), asker: admin).map(\.userID) == ["potsdam", "paris"])
  }

  @Test func othersThanOperatorsSeeRoundedPositionsInEveryWay() throws {
    var directory = directory([("berlin", berlin)])
    let user = Principal.person("user")
    let item = try #require(directory.nearby(NearbyQuery(origin: berlin), asker: user).first)
    let shown = try #require(item.userLocation)
    #expect(shown == berlin.rounded && shown != berlin && shown.horizontalAccuracy == 1_000)
    let distance = try #require(item.distance)
    #expect(abs(distance - berlin.rounded.distance(to: berlin)) < 0.001)
    #expect(distance > 0 && distance < 1_000)
    let tight = NearbyQuery(origin: berlin, within: distance / 2)
    #expect(directory.nearby(tight, asker: user).isEmpty)
  }

  @Test func removingKeepsTheOthersFindable() {
    var directory = directory([("a", berlin), ("b", potsdam), ("c", paris)])
    #expect(directory.remove(userID: "a")?.principal.userID == "a")
    #expect(directory.remove(userID: "a") == nil)
    #expect(directory["c"]?.location == paris)
    #expect(directory.nearby(NearbyQuery(origin: paris), asker: admin).map(\.userID) == ["c", "b"])
  }

  @Test func theSelectionEqualsSortingEverything() {
    var generator = SeededGenerator(seed: 7)
    var directory = Directory()
    var places: [(id: String, location: UserLocation)] = []
    for number in 0..<2_000 {
      let location = UserLocation(
        latitude: .random(in: -90...90, using: &generator), longitude: .random(in: -180...180, using: &generator))
      places.append(("d\(number)", location))
      directory.update(entry(.device("d\(number)"), location))
    }
    let expected = places.map { ($0.id, $0.location.distance(to: paris)) }.sorted { $0.1 < $1.1 }.prefix(50).map(\.0)
    let found = directory.nearby(NearbyQuery(origin: paris, limit: 50), asker: admin).map(\.userID)
    #expect(found == expected)
  }
}
