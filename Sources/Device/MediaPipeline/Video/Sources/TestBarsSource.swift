internal import MediaCore
internal import RealtimeRuntime

/// Frames of `test:bars`, at the pace of the clock.
final class TestBarsSource: FrameSource {
  let description: VideoSourceDescription
  private var bars: TestBars
  private var pace: PacedWait

  init(_ request: SourceRequest, isStandIn: Bool = false) {
    description = VideoSourceDescription(
      name: "test:bars", text: "test bars \(request.width)×\(request.height) at \(request.frameRate)/s",
      width: request.width, height: request.height, frameRate: Double(request.frameRate), isStandIn: isStandIn)
    bars = TestBars(width: request.width)
    pace = PacedWait(FramePace(start: MonotonicClock.now(), frameRate: Int64(request.frameRate)))
  }

  func prepare(_ image: inout I420Buffer) { bars.drawBackground(into: &image) }

  func next(into target: FrameSlot?, until stop: EventDescriptor) -> FrameOutcome {
    guard let instant = pace.next(until: stop) else { return .nothing }
    if let target { bars.drawNext(into: &target.image, at: instant) } else { bars.skip() }
    return .frame(instant)
  }
}
