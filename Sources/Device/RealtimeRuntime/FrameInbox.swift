public import MediaCore

/// Where one consumer receives encoded frames: a ring for sound, a ring for pictures, and one wake-up for both.
///
/// Each ring has one producing thread; the consumer is one thread.
public final class FrameInbox: Sendable {
  public let audio: FrameRing
  public let video: FrameRing
  public let wake: EventDescriptor

  /// - Parameters:
  ///   - audioBytes: 64 KiB hold about eight seconds of Opus at 32 kbit/s.
  ///   - videoBytes: 1 MiB holds about ten seconds at 800 kbit/s.
  public init(audioBytes: Int = 64 * 1024, videoBytes: Int = 1024 * 1024) throws(SystemCallError) {
    audio = FrameRing(byteCount: audioBytes)
    video = FrameRing(byteCount: videoBytes)
    wake = try EventDescriptor()
  }

  public func ring(for kind: MediaKind) -> FrameRing { kind == .audio ? audio : video }

  /// Copies a frame into its ring and wakes the consumer. Returns false when it was dropped (and counted).
  @discardableResult
  public func push(_ header: EncodedFrameHeader, payload: RawSpan) -> Bool {
    let isStored = ring(for: header.kind).push(header, payload: payload)
    wake.signal()
    return isStored
  }
}
