internal import MediaCore
internal import RealtimeRuntime

/// A source whose frames come whether a buffer is free or not. Of those that come meanwhile the newest is shown, so that the
/// encoder never works on old ones.
protocol LiveFrameSource: FrameSource {
  /// Takes what a program prints.
  var printed: PrintedLines? { get set }

  /// Frames that came and were left out since the last call, as a newer one was there.
  func takeSkippedCount() -> Int

  /// Waits for the next whole frame, which ``draw(into:at:)`` draws until the next call.
  ///
  /// - Parameter stop: becomes readable when the source shall end.
  func awaitFrame(until stop: EventDescriptor) throws(SourceFailure) -> FrameOutcome

  /// Draws it; returns `.frame` with the instant when it came.
  func draw(into image: inout I420Buffer, at captured: MonotonicInstant) throws(SourceFailure) -> FrameOutcome
}

extension LiveFrameSource {
  func next(into target: FrameSlot?, until stop: EventDescriptor) throws(SourceFailure) -> FrameOutcome {
    let outcome = try awaitFrame(until: stop)
    guard case .frame(let captured) = outcome, let target else { return outcome }
    return try draw(into: &target.image, at: captured)
  }
}
