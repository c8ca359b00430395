internal import MediaCore
internal import RealtimeRuntime

/// Frames of `test:street`, at the pace of the clock.
final class TestStreetSource: FrameSource {
  let description: VideoSourceDescription
  private var street: TestStreet
  private var pace: PacedWait

  init(_ request: SourceRequest) {
    description = VideoSourceDescription(
      name: "test:street", text: "test street \(request.width)×\(request.height) at \(request.frameRate)/s",
      width: request.width, height: request.height, frameRate: Double(request.frameRate))
    street = TestStreet(width: request.width, height: request.height, frameRate: request.frameRate)
    pace = PacedWait(FramePace(start: MonotonicClock.now(), frameRate: Int64(request.frameRate)))
  }

  func next(into target: FrameSlot?, until stop: EventDescriptor) -> FrameOutcome {
    guard let instant = pace.next(until: stop) else { return .nothing }
    if let target { street.drawNext(into: &target.image, at: instant) } else { street.skip() }
    return .frame(instant)
  }
}
