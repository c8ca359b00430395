import Signalling
import Testing

@testable import HubRedis

struct NearbyRadiiTests {
  private func radii(maximum: Double? = nil, wanted: Int = 100, found: (Double) -> Int) -> [Double] {
    var (radii, tried, foundSoFar) = (NearbyRadii(maximum: maximum), [Double](), 0)
    while let radius = radii.next(foundSoFar: foundSoFar, wanted: wanted) {
      tried.append(radius)
      foundSoFar = found(radius)
    }
    return tried
  }

  @Test func stopsWhenEnoughAreFound() {
    #expect(radii { _ in 100 } == [500])
    #expect(radii { $0 < 2_000 ? 99 : 400 } == [500, 2_000])
  }

  @Test func growsFourfoldWhileSomeAreFoundAndFasterWhileHardlyAny() {
    #expect(radii { _ in 7 } == [500, 2_000, 8_000, 32_000, 128_000, 512_000, 2_048_000, NearbyRadii.everywhere])
    #expect(radii { _ in 6 } == [500, 8_000, 128_000, 2_048_000, NearbyRadii.everywhere])
    #expect(radii(wanted: 10) { _ in 0 } == [500, 8_000, 128_000, 2_048_000, NearbyRadii.everywhere])
  }

  @Test func endsAtTheMaximum() {
    #expect(radii(maximum: 0) { _ in 0 } == [0])
    #expect(radii(maximum: 300) { _ in 0 } == [300])
    #expect(radii(maximum: 3_000) { _ in 50 } == [500, 3_000])
    #expect(radii(maximum: 100_000) { _ in 50 } == [500, 2_000, 8_000, 100_000])
  }

  @Test(arguments: [1e9, .infinity, .nan])
  func noMaximumExceedsHalfTheCircumference(maximum: Double) {
    #expect(radii(maximum: maximum) { _ in 0 }.last == NearbyRadii.everywhere)
    #expect(GeoSearchPlan(origin: .init(latitude: 0, longitude: 0), radius: NearbyRadii.everywhere).readsPolarSet)
  }

  @Test func searchesNothingForNobody() {
    #expect(radii(wanted: 0) { _ in 0 }.isEmpty)
    #expect(radii(wanted: -1) { _ in 0 }.isEmpty)
  }

  @Test func neverTriesMoreThanEight() {
    for found in 0..<100 { #expect(radii { _ in found }.count <= 8) }
    #expect(radii(wanted: .max) { _ in .max - 1 }.count == 8)
  }
}
