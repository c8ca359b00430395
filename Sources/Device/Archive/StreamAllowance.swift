import MediaCore
import RealtimeRuntime

/// What a stream may write on average: a token bucket of 20 seconds, as long as a stream's memory lasts, so that a disk
/// that stalls costs nothing.
///
/// Time is that of arrival, since the sender chooses the frames' own. The last eighth is reserved for audio. Video that
/// is refused resumes with a key frame once an eighth more has been saved.
struct StreamAllowance {
  private let bytesPerSecond: Int64
  private let capacity: Int64
  private var saved: Int64
  private var last: MonotonicInstant?
  private var isRefusing = false
  /// Frames that were refused.
  private(set) var refused = 0

  private static let window: Int64 = 20
  /// What a frame costs beside its payload, so that many small ones are not free.
  private static let frameOverhead: Int64 = 16

  init(_ rate: Bitrate) {
    bytesPerSecond = Int64(max(rate.bitsPerSecond, 8) / 8)
    capacity = bytesPerSecond * Self.window
    saved = capacity
  }

  /// Whether a key frame would be taken now.
  mutating func takesKeyFrame(now: MonotonicInstant) -> Bool {
    refill(now)
    return !isRefusing || saved > capacity / 4
  }

  /// Decides about the next frame, and counts it.
  mutating func admits(_ header: EncodedFrameHeader, byteCount: Int, now: MonotonicInstant) -> Bool {
    let cost = Int64(byteCount) + Self.frameOverhead
    let isAdmitted = header.kind == .audio ? hasRoom(for: cost, above: 0, now) : admitsFrame(header, cost, now)
    if isAdmitted { saved -= cost } else { refused += 1 }
    return isAdmitted
  }

  private mutating func admitsFrame(_ header: EncodedFrameHeader, _ cost: Int64, _ now: MonotonicInstant) -> Bool {
    if isRefusing { isRefusing = !(header.isKeyFrame && takesKeyFrame(now: now)) }
    if !isRefusing { isRefusing = !hasRoom(for: cost, above: capacity / 8, now) }
    return !isRefusing
  }

  private mutating func hasRoom(for cost: Int64, above reserve: Int64, _ now: MonotonicInstant) -> Bool {
    refill(now)
    return saved - cost >= reserve
  }

  private mutating func refill(_ now: MonotonicInstant) {
    let span = last.map { max(0, (now - $0).milliseconds) } ?? 0
    guard last == nil || span > 0 else { return }
    last = now
    saved = min(capacity, saved + bytesPerSecond * min(span, Self.window * 1_000) / 1_000)
  }
}
