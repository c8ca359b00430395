import EventDetection
import Foundation
import MediaCore
import MotionDetection
import PixelConversion
import Signalling

/// Puts clips through the detector, ten looks a second, and adds up what that takes.
struct DetectorRun {
  /// Seconds of CPU time in looks.
  private(set) var used = 0.0
  private(set) var slowest = 0.0
  private(set) var looks = 0
  let isVerbose: Bool

  init(isVerbose: Bool) { self.isVerbose = isVerbose }

  mutating func callAsFunction(_ clip: Clip) -> Verdict {
    var detector = MotionDetector(grid: CellGrid(frameWidth: Frame.width, frameHeight: Frame.height))
    var cells = [UInt8](repeating: 0, count: detector.grid.count)
    var picture = I420Buffer(width: Frame.width, height: Frame.height)
    var events = EventSpans()
    for frame in 0..<clip.frames {
      clip.draw(frame)
      picture.withUnsafeMutablePlanes { luma, _, _ in luma.update(from: clip.picture.bytes, count: Frame.count) }
      let start = threadTime()
      do {
        var reduced = cells.mutableSpan
        LumaReducer.reduce(picture, side: detector.grid.side, into: &reduced)
      }
      detector.analyze(at: cells.span)
      count(threadTime() - start)
      events.take(detector.motion(inZone: 0)?.score, frame)
      if isVerbose, let state = detector.tampering { print("  tampering: \(state) at \(frame)") }
    }
    events.finish()
    if isVerbose { show(events.finished, clip) }
    return evaluate(events.finished, clip.truths, frames: clip.frames)
  }

  private mutating func count(_ seconds: Double) {
    used += seconds
    slowest = max(slowest, seconds)
    looks += 1
  }

  private func show(_ events: [ClosedRange<Int>], _ clip: Clip) {
    let truths = clip.truths.map { "\($0.lowerBound)-\($0.upperBound)" + (events.contains(where: $0.overlaps) ? "" : "!MISSED") }
    print("  wanted", truths.joined(separator: " "))
    print("  events", events.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: " "))
  }
}

/// What the usual trigger makes of scores, as spans of frames.
private struct EventSpans {
  private var trigger = EventTrigger<FrameRegion>()
  private(set) var finished: [ClosedRange<Int>] = []

  mutating func take(_ score: Int?, _ frame: Int) {
    let time = MonotonicInstant(nanoseconds: 0) + .milliseconds(Int64(frame) * 1_000 / Int64(Frame.rate))
    add(trigger.take(score.map { EventTrigger.Signal(score: $0) }, at: time))
  }

  mutating func finish() { add(trigger.finish()) }

  private mutating func add(_ steps: [EventTrigger<FrameRegion>.Step]) {
    for case .ended(let span) in steps { finished.append(frame(span.start)...frame(span.end)) }
  }

  private func frame(_ time: MonotonicInstant) -> Int { Int(time.nanoseconds / 1_000_000) * Frame.rate / 1_000 }
}

private func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
