public import MediaCore
import Synchronization
public import SystemSupport

/// Where one consumer receives encoded frames: a ring for audio, a ring for video, and one wake-up for both.
///
/// Each ring has one producing thread; the consumer is one thread.
public final class FrameInbox: Sendable {
  public let audio: FrameRing
  public let video: FrameRing
  public let wake: EventDescriptor
  private let wakesAlways: Bool
  private let takesAudio: Bool
  private let takesVideo: Bool
  private let isWakeWanted = Atomic<Bool>(false)

  /// An inbox that wakes its consumer for each frame.
  ///
  /// - Parameters:
  ///   - audioBytes: 64 KiB hold about eight seconds of Opus at 32 kbit/s.
  ///   - videoBytes: 1 MiB holds about ten seconds at 800 kbit/s.
  public init(audioBytes: Int = 64 * 1024, videoBytes: Int = 1024 * 1024) throws(SystemCallError) {
    audio = FrameRing(byteCount: audioBytes)
    video = FrameRing(byteCount: videoBytes)
    wake = try EventDescriptor()
    wakesAlways = true
    takesAudio = true
    takesVideo = true
  }

  /// An inbox for a consumer that comes by itself: it is woken only when a ring becomes half full, and for the first
  /// frame after it called ``wantWake()``.
  ///
  /// - Parameters:
  ///   - audioBytes: 0 ignores audio.
  ///   - videoBytes: 0 ignores video.
  ///   - wake: may be shared with other inboxes of the same consumer.
  public init(audioBytes: Int, videoBytes: Int, wake: EventDescriptor) {
    audio = FrameRing(byteCount: audioBytes)
    video = FrameRing(byteCount: videoBytes)
    self.wake = wake
    wakesAlways = false
    takesAudio = audioBytes > 0
    takesVideo = videoBytes > 0
  }

  public func ring(for kind: MediaKind) -> FrameRing { kind == .audio ? audio : video }

  /// Describes the frame with the earliest time, of those that are next in their rings. Consumer's side.
  public var firstHeader: EncodedFrameHeader? {
    guard let audioHeader = audio.firstHeader else { return video.firstHeader }
    guard let videoHeader = video.firstHeader else { return audioHeader }
    return audioHeader.timestamp < videoHeader.timestamp ? audioHeader : videoHeader
  }

  /// The ring to be read next, so that a backlog of both kinds comes out in order. Consumer's side.
  public var firstKind: MediaKind? { firstHeader?.kind }

  /// What has come by now, so that a consumer can take that and no more. Consumer's side.
  public var mark: Mark { Mark(audio: audio.end, video: video.end) }

  /// The same as ``firstKind``; nil when that frame came after the mark.
  public func firstKind(before mark: Mark) -> MediaKind? {
    guard let kind = firstKind, ring(for: kind).hasFrame(before: kind == .audio ? mark.audio : mark.video) else {
      return nil
    }
    return kind
  }

  /// A moment in an inbox's life.
  public struct Mark: Sendable {
    fileprivate var audio: Int64
    fileprivate var video: Int64
  }

  /// Whether no frame waits.
  public var isEmpty: Bool { audio.isEmpty && video.isEmpty }

  /// Copies a frame into its ring and wakes the consumer if it is to be. Returns false when the frame was dropped (and
  /// counted).
  @discardableResult
  public func push(_ header: EncodedFrameHeader, payload: RawSpan) -> Bool {
    guard header.kind == .audio ? takesAudio : takesVideo else { return true }
    let ring = ring(for: header.kind)
    let wasHalfFull = ring.isMoreThanHalfFull
    let isStored = ring.push(header, payload: payload)
    if wakesAlways || takeWakeWanted() || (!wasHalfFull && ring.isMoreThanHalfFull) { wake.signal() }
    return isStored
  }

  /// Asks for a wake-up at the next frame. Consumer's side.
  ///
  /// - Returns: false when frames wait already, so that there is nothing to sleep for.
  public func wantWake() -> Bool {
    isWakeWanted.store(true, ordering: .relaxed)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    return isEmpty
  }

  /// The fences order "frame stored, wish read" against "wish stored, rings read": one side sees the other.
  private func takeWakeWanted() -> Bool {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    guard isWakeWanted.load(ordering: .relaxed) else { return false }
    return isWakeWanted.exchange(false, ordering: .relaxed)
  }
}
