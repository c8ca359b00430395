import Signalling
import Testing

@testable import HubCore

struct GeodesyTests {
  @Test func smallDistancesKeepTheirPrecision() {
    let origin = UserLocation(latitude: 52.52, longitude: 13.405)
    let near = UserLocation(latitude: 52.520009, longitude: 13.405)
    #expect(abs(origin.distance(to: near) - 1.00075) < 0.001)
  }

  @Test func antipodesAreHalfACircumferenceApart() {
    let distance = UserLocation(latitude: 0, longitude: 0).distance(to: UserLocation(latitude: 0, longitude: 180))
    #expect(abs(distance - 20_015_115) < 1)
  }

  @Test func theDateLineIsNoBorder() {
    let distance = UserLocation(latitude: 0, longitude: 179.9).distance(
      to: UserLocation(latitude: 0, longitude: -179.9))
    #expect(abs(distance - 22_239) < 1)
  }

  @Test(arguments: [
    (52.52, 13.405), (-33.8688, 151.2093), (89.999, 12.3), (-90, 180), (0.0049, -179.999), (65, -18),
  ])
  func roundingMovesByAtMostAKilometreAndStaysOnEarth(latitude: Double, longitude: Double) {
    let location = UserLocation(latitude: latitude, longitude: longitude)
    #expect(location.rounded.isPlausible)
    #expect(location.distance(to: location.rounded) < 1_000)
  }

  @Test func neighboursRoundToTheSamePlace() {
    let here = UserLocation(latitude: 52.5201, longitude: 13.4051).rounded
    let there = UserLocation(latitude: 52.5199, longitude: 13.4049).rounded
    #expect(here == there)
  }

  @Test func implausiblePlacesAreRecognised() {
    #expect(!UserLocation(latitude: 90.1, longitude: 0).isPlausible)
    #expect(!UserLocation(latitude: 0, longitude: .infinity).isPlausible)
    #expect(!UserLocation(latitude: 0, longitude: 0, horizontalAccuracy: -1).isPlausible)
    #expect(!UserLocation(latitude: 0, longitude: 0, horizontalAccuracy: .nan).isPlausible)
  }
}
