import Testing

@testable import EventDetection

@Suite struct EarthAreaTests {
  private func point(_ latitude: Double, _ longitude: Double) throws -> EarthPoint {
    try #require(EarthPoint(latitude: latitude, longitude: longitude))
  }

  private func polygon(_ corners: [(Double, Double)]) throws -> EarthArea {
    let points = try corners.map { try point($0.0, $0.1) }
    let polygon: EarthArea.Polygon = try #require(EarthArea.Polygon(corners: points))
    return EarthArea(polygon: polygon)
  }

  /// Metres of a degree of a great circle.
  private let degree = EarthPoint.earthRadius * .pi / 180

  @Test func distancesOfAllLengths() throws {
    let equator = try point(0, 0)
    #expect(abs(try point(0, 1).distance(to: equator) - degree) < 1e-3)
    #expect(abs(try point(90, 77).distance(to: equator) - 90 * degree) < 1e-2)
    #expect(abs(try point(0, 180).distance(to: equator) - 180 * degree) < 1)
    #expect(abs(try point(0.000_01, 0).distance(to: equator) - degree / 100_000) < 1e-6)
    // Berlin to Paris by the haversine formula.
    #expect(abs(try point(52.52, 13.405).distance(to: point(48.8566, 2.3522)) - 877_465) < 50)
  }

  @Test func whatIsNoPlaceIsNone() {
    #expect(EarthPoint(latitude: 90.1, longitude: 0) == nil)
    #expect(EarthPoint(latitude: .nan, longitude: 0) == nil)
    #expect(EarthPoint(latitude: 0, longitude: -181) == nil)
  }

  @Test func circlesAcrossTheAntimeridianAndAroundThePole() throws {
    let fiji = EarthArea(circle: EarthArea.Circle(center: try point(-17, 179.999), radius: 1_000))
    #expect(fiji.distance(of: try point(-17, -179.999)) < -700)
    #expect(fiji.distance(of: try point(-17, -179.98)) > 1_000)
    let pole = EarthArea(circle: EarthArea.Circle(center: try point(90, 0), radius: 1_000))
    for longitude in [-180.0, -90, 0, 45, 180] {
      #expect(abs(pole.distance(of: try point(89.995, longitude)) - (0.005 * degree - 1_000)) < 0.01)
    }
  }

  @Test(arguments: [0.0, 179.99, -179.99, 13.4])
  func polygonsAtEveryLongitude(middle: Double) throws {
    func wrapped(_ longitude: Double) -> Double {
      longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
    }
    let (west, east) = (wrapped(middle - 0.02), wrapped(middle + 0.02))
    let square = try polygon([(-0.02, west), (0.02, west), (0.02, east), (-0.02, east)])
    #expect(abs(square.distance(of: try point(0, middle)) + 0.02 * degree) < 0.01)
    #expect(abs(square.distance(of: try point(0, wrapped(middle + 0.05))) - 0.03 * degree) < 0.01)
    #expect(square.distance(of: try point(0.021, middle)) > 0)
    #expect(square.distance(of: try point(0, wrapped(middle + 170))) > 1e7)
  }

  @Test func aPolygonAroundThePole() throws {
    let cap = try polygon([(89, 0), (89, 90), (89, 180), (89, -90)])
    #expect(cap.distance(of: try point(90, 0)) < -70_000)
    #expect(cap.distance(of: try point(89.2, 0)) < 0)
    #expect(cap.distance(of: try point(88.9, 0)) > 0)
  }

  @Test func aNotchIsOutside() throws {
    let notched = try polygon([(0, 0), (0, 0.1), (0.1, 0.1), (0.02, 0.05), (0.1, 0)])
    #expect(notched.distance(of: try point(0.08, 0.05)) > 0)
    #expect(notched.distance(of: try point(0.01, 0.05)) < 0)
  }

  @Test func polygonsThatAreTooLargeOrNone() throws {
    #expect(EarthArea.Polygon(corners: [try point(0, 0), try point(0, 1)]) == nil)
    #expect(EarthArea.Polygon(corners: [try point(0, 0), try point(0, 20), try point(20, 0)]) == nil)
  }
}
