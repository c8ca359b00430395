import MediaCore

/// A frame that waits for its cluster to be closed.
struct StagedFrame {
  var kind: MediaKind
  var isKeyFrame: Bool
  var isDiscardable: Bool
  /// Media time in nanoseconds, strictly increasing within a kind.
  var time: Int64
  var duration: Int64
  var arrival: MonotonicInstant
  /// Where the payload lies in the stage's memory.
  var offset: Int
  var count: Int
}

/// Collects frames of both kinds until it is clear which of them form the next cluster.
///
/// Audio and video come from different threads, so that one may run ahead: a cluster is closed only when both
/// kinds have passed its end, or when waiting has lasted long enough. Its memory is bounded by `byteLimit`.
struct ClusterStage {
  private(set) var frames: [StagedFrame] = []
  private(set) var payloads: [UInt8] = []
  private let timing: WebMTiming
  /// The last time of each kind, whether staged or gone; indexed by `MediaKind.rawValue`.
  private var newest: [2 of Int64] = [.min, .min]
  /// Likewise where the media received so far ends.
  private var ends: [2 of Int64] = [.min, .min]
  private(set) var earliest = Int64.max
  private var oldestArrival = MonotonicInstant.distantFuture
  /// The next cluster consists of frames before this time.
  private var cut = Int64.max

  private static let byteLimit = 2 * 1024 * 1024

  init(timing: WebMTiming) {
    self.timing = timing
    frames.reserveCapacity(512)
    payloads.reserveCapacity(512 * 1024)
  }

  var isEmpty: Bool { frames.isEmpty }

  /// Copies a frame in. A time that does not increase is moved to 1 ms after the kind's last.
  mutating func push(_ header: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant) {
    let index = Int(header.kind.rawValue)
    let last = newest[index]
    let time = last == .min ? header.timestamp.nanoseconds : max(header.timestamp.nanoseconds, last + 1_000_000)
    newest[index] = time
    ends[index] = time + max(0, header.duration.nanoseconds)
    frames.append(
      StagedFrame(
        kind: header.kind, isKeyFrame: header.isKeyFrame, isDiscardable: header.isDiscardable, time: time,
        duration: header.duration.nanoseconds, arrival: now, offset: payloads.count, count: payload.byteCount))
    unsafe payload.withUnsafeBytes { unsafe payloads.append(contentsOf: $0) }
    if time < earliest { recompute() } else { note(frames[frames.count - 1]) }
  }

  /// The frame that comes first in the next cluster.
  var first: StagedFrame? {
    frames.min { $0.time == $1.time ? $0.kind == .video && $1.kind == .audio : $0.time < $1.time }
  }

  /// Where the media that has come so far ends.
  var furthest: Int64 { max(ends[0], ends[1]) }

  /// Whether video came within the last ten seconds.
  var isVideoAlive: Bool {
    let end = ends[Int(MediaKind.video.rawValue)]
    return end != .min && end >= furthest - 10_000_000_000
  }

  func hasKeyFrame(from time: Int64) -> Bool {
    frames.contains { $0.kind == .video && $0.isKeyFrame && $0.time >= time }
  }

  /// Lends the payload of the first frame of a kind that waits.
  func firstPayload<Result>(_ kind: MediaKind, _ body: (RawSpan) -> Result) -> Result? {
    guard let frame = frames.first(where: { $0.kind == kind }) else { return nil }
    return unsafe body(payloads.span.bytes.extracting(frame.offset..<frame.offset + frame.count))
  }

  /// The time before which frames form the next cluster, or `nil` when it has to wait.
  func dueCut(now: MonotonicInstant) -> Int64? {
    guard !frames.isEmpty else { return nil }
    let isFull = payloads.count >= Self.byteLimit || now - oldestArrival >= timing.longestHold
    return isFull || isPassed ? cut : nil
  }

  /// The cut for the rest of the frames at the end of the file.
  var finalCut: Int64? { frames.isEmpty ? nil : cut }

  /// Whether media has passed the cut, on every kind that is alive or far enough on one.
  private var isPassed: Bool {
    guard furthest >= cut else { return false }
    if max(newest[0], newest[1]) >= cut.saturatingAdding(timing.reorderWindow.nanoseconds) { return true }
    return slowestEnd >= cut
  }

  /// Where the media of the kind that is behind ends; a kind that is a second behind does not count.
  private var slowestEnd: Int64 {
    var slowest = furthest
    for index in 0..<2 where ends[index] >= earliest - 1_000_000_000 { slowest = min(slowest, ends[index]) }
    return slowest
  }

  /// How long `dueCut` will say `nil` if frames keep coming in real time; `nil` when none waits.
  func timeUntilDue(now: MonotonicInstant) -> TimeSpan? {
    guard !frames.isEmpty else { return nil }
    let hold = (oldestArrival + timing.longestHold - now).nanoseconds
    let lead = cut.saturatingAdding(timing.reorderWindow.nanoseconds).saturatingSubtracting(max(newest[0], newest[1]))
    return TimeSpan(nanoseconds: max(0, min(hold, lead, cut - slowestEnd)))
  }

  private mutating func note(_ frame: StagedFrame) {
    earliest = min(earliest, frame.time)
    oldestArrival = min(oldestArrival, frame.arrival)
    cut = min(cut, earliest.saturatingAdding(timing.clusterSpan.nanoseconds))
    if frame.kind == .video, frame.isKeyFrame, frame.time > earliest { cut = min(cut, frame.time) }
  }

  private mutating func recompute() {
    earliest = .max
    oldestArrival = .distantFuture
    cut = .max
    for frame in frames { earliest = min(earliest, frame.time) }
    for frame in frames { note(frame) }
  }

  /// Forgets the frames before `cut`; the rest moves to the front of the memory.
  mutating func removeFrames(before cut: Int64) {
    var kept = 0
    var end = 0
    for index in frames.indices where frames[index].time >= cut {
      var frame = frames[index]
      movePayload(of: frame, to: end)
      frame.offset = end
      end += frame.count
      frames[kept] = frame
      kept += 1
    }
    frames.removeLast(frames.count - kept)
    payloads.removeLast(payloads.count - end)
    recompute()
  }

  private mutating func movePayload(of frame: StagedFrame, to target: Int) {
    guard frame.offset != target else { return }
    unsafe payloads.withUnsafeMutableBytes { bytes in
      let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[frame.offset..<frame.offset + frame.count])
      unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[target...]).copyMemory(from: source)
    }
  }
}
