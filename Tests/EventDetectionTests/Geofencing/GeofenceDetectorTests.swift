import EventDetection
import MediaCore
import TestSupport
import Testing

@Suite struct GeofenceDetectorTests {
  private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0) + .seconds(seconds) }

  private func detector(_ occasion: Geofence.Occasion) throws -> GeofenceDetector {
    let center = try #require(EarthPoint(latitude: 52, longitude: 180))
    let area = EarthArea(circle: EarthArea.Circle(center: center, radius: 100))
    return GeofenceDetector(Geofence(area: area, occasion: occasion))
  }

  /// A position so many metres north of the middle.
  private func fix(_ metres: Double, error: Double? = nil) -> PositionFix {
    PositionFix(
      latitude: 52 + metres / (EarthPoint.earthRadius * .pi / 180), longitude: -180, horizontalError: error)
  }

  /// What comes of a position each second.
  private func steps(
    _ detector: inout GeofenceDetector, _ metres: [Double], error: Double? = nil, from start: Int64 = 0
  ) -> [GeofenceDetector.Step] {
    metres.enumerated().flatMap { index, metres in
      detector.take(fix(metres, error: error), at: at(start + Int64(index)))
    }
  }

  private func place(_ metres: Double, seconds: Int = 12) -> [Double] { [Double](repeating: metres, count: seconds) }

  @Test func leavingLastsUntilTheDeviceIsBack() throws {
    var fence = try detector(.leave)
    #expect(steps(&fence, place(0)).isEmpty)
    let left = steps(&fence, place(405), from: 12)
    guard case .began(let span)? = left.first else { return #expect(Bool(false)) }
    #expect(span.start == at(12))
    #expect(span.peak.score == 30)
    #expect(left.count == 1)
    #expect(fence.detail == "left")
    guard case .peaked(let far)? = steps(&fence, [905], from: 24).first else { return #expect(Bool(false)) }
    #expect(far.peak.score == 80)
    guard case .ended? = steps(&fence, place(0), from: 25).last else { return #expect(Bool(false)) }
  }

  @Test func enteringLastsUntilTheDeviceIsGone() throws {
    var fence = try detector(.enter)
    #expect(steps(&fence, place(405)).isEmpty)
    guard case .began? = steps(&fence, place(20), from: 12).first else { return #expect(Bool(false)) }
    guard case .ended? = steps(&fence, place(405), from: 24).last else { return #expect(Bool(false)) }
  }

  @Test func eachCrossingIsOverAtOnce() throws {
    var fence = try detector(.both)
    #expect(steps(&fence, place(0)).isEmpty)
    #expect(steps(&fence, place(405), from: 12).count == 2)
    #expect(fence.detail == "left")
    #expect(steps(&fence, place(0), from: 24).count == 2)
    #expect(fence.detail == "entered")
  }

  @Test func noiseAtTheBorderIsNoStorm() throws {
    var fence = try detector(.both)
    var random = SeededGenerator(seed: 7)
    let noisy = (0..<5_000).map { _ in Double.random(in: 85...115, using: &random) }
    #expect(steps(&fence, place(0), error: 15).isEmpty)
    #expect(steps(&fence, noisy, error: 15, from: 12).isEmpty)
  }

  @Test func aSingleFixFarAwayIsNone() throws {
    var fence = try detector(.leave)
    let track = place(0) + [50_000] + place(0) + [50_000, 50_000, 50_000] + place(0)
    #expect(steps(&fence, track).isEmpty)
  }

  @Test func whereThePositionMayBeWrongNothingIsSaid() throws {
    var fence = try detector(.leave)
    #expect(steps(&fence, place(0)).isEmpty)
    #expect(steps(&fence, place(400, seconds: 60), error: 500, from: 12).isEmpty)
  }

  @Test func lostPositionsEndNothing() throws {
    var fence = try detector(.leave)
    _ = steps(&fence, place(0))
    _ = steps(&fence, place(405), from: 12)
    let ticked = (1...1_000).flatMap { fence.tick(now: at(24 + $0 * 60)) }
    #expect(ticked.isEmpty)
    guard case .ended? = steps(&fence, place(0), from: 70_000).last else { return #expect(Bool(false)) }
  }

  @Test func aDeviceThatWakesUpOutsideHasLeft() throws {
    var fence = try detector(.leave)
    #expect(steps(&fence, place(4_000)).count == 1)
  }

  @Test func missingPositionsAreToldOnce() {
    var presence = PositionPresence()
    let told = (0...200).filter { presence.tick(now: at($0)) }
    #expect(told == [60])
    let back = (201...203).map { presence.take(at: at($0)) }
    #expect(back == [true, false, false])
    let again = (204...300).filter { presence.tick(now: at($0)) }
    #expect(again == [263])
  }
}
