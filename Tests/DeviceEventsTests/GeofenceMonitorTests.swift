import DeviceEvents
import EventDetection
import Logging
import MediaCore
import MediaPipeline
import Testing

@Suite struct PlaceWatchTests {
  private let steps = EventStepQueue()
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private func source(_ id: Int, metres: Double) throws -> GeofenceMonitor.Source {
    let center = try #require(EarthPoint(latitude: 52.5, longitude: 13.4))
    let area = EarthArea(circle: EarthArea.Circle(center: center, radius: metres))
    return GeofenceMonitor.Source(id: id, detector: GeofenceDetector(Geofence(area: area, stay: .seconds(1))))
  }

  /// The device is so many degrees to the north of the centre, for four seconds.
  private func stay(_ degrees: Double, _ watch: GeofenceMonitor, from second: Int64) {
    for second in second..<second + 4 {
      watch.take(
        PositionFix(latitude: 52.5 + degrees, longitude: 13.4), at: MonotonicInstant(nanoseconds: 0) + .seconds(second),
        logger)
    }
  }

  private func taken() -> [String] {
    steps.takeAll().compactMap { step in
      switch step.step {
      case .began: "began \(step.source)"
      case .peaked: nil
      case .ended: "ended \(step.source)"
      }
    }
  }

  @Test func whatIsChangedEndsAndWhatStaysGoesOn() throws {
    let (narrow, wide) = try (source(1, metres: 200), source(2, metres: 5_000))
    let watch = GeofenceMonitor([narrow], steps: steps)
    stay(0, watch, from: 0)
    stay(0.01, watch, from: 10)
    #expect(taken() == ["began 1"])
    watch.apply([wide, narrow])
    stay(0.01, watch, from: 20)
    #expect(taken() == [])
    watch.apply([wide])
    #expect(taken() == ["ended 1"])
    stay(0.1, watch, from: 30)
    #expect(taken() == ["began 2"])
    watch.apply([])
    #expect(taken() == ["ended 2"])
    stay(0, watch, from: 40)
    watch.tick(now: MonotonicInstant(nanoseconds: 0) + .seconds(200), logger)
    #expect(taken() == [])
  }
}
