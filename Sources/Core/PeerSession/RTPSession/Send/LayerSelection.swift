import MediaCore

/// Drops the frames of upper temporal layers that a viewer cannot take.
///
/// Fewer layers count at once, more from the next frame of the base layer on: frames of upper layers refer to nothing
/// before that. Without layers, a key frame passes now and then.
struct LayerSelection {
  private static var stillInterval: TimeSpan { .seconds(4) }
  /// How long without one until a key frame for the still frame is requested.
  private static var longestStill: TimeSpan { .seconds(15) }

  /// How many layers are wanted, 0 for a still frame.
  private(set) var wanted = 3
  private var current = 3
  private var lastStill: MonotonicInstant?
  /// The upper layers seen since the last frame of the base.
  private var seen: UInt8 = 0

  mutating func set(_ count: Int) {
    wanted = min(max(count, 0), 3)
    current = min(current, wanted)
  }

  var isStill: Bool { wanted == 0 }

  /// Whether a new key frame should be requested for the still frame's sake.
  func wantsStill(now: MonotonicInstant) -> Bool {
    lastStill.map { now - $0 >= Self.longestStill } ?? true
  }

  /// Whether a frame is for this viewer.
  mutating func admits(_ frame: EncodedFrameHeader, now: MonotonicInstant) -> Bool {
    if frame.temporalLayer == 0 { current = wanted }
    guard current == 0 else { return Int(frame.temporalLayer) < current }
    guard frame.isKeyFrame, lastStill.map({ now - $0 >= Self.stillInterval }) ?? true else { return false }
    lastStill = now
    return true
  }

  /// Whether a frame depends only on the base layer: none of an upper layer lies between that it could refer to
  /// (RFC 7741 §4.2, the Y bit).
  mutating func isLayerSync(_ frame: EncodedFrameHeader) -> Bool {
    let layer = min(frame.temporalLayer, 7)
    guard layer > 0 else {
      seen = 0
      return false
    }
    let lower = (UInt8(1) << layer - 1) | UInt8(1) << layer
    defer { seen |= UInt8(1) << layer }
    return seen & lower & ~1 == 0
  }
}
