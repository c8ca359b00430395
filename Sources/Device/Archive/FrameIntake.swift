import MediaCore
import RealtimeRuntime

/// What of a stream's frames goes into its files: those of the pre-roll, then those of the inbox, but none twice, none that
/// could not be decoded, none of the upper layers of a thinned stream, none beyond the bit rate that the stream may have, and of a time-lapse those
/// that are due alone, with the times at which they are shown.
struct FrameIntake {
  private let hasAudio: Bool
  private let hasVideo: Bool
  private let isThinned: Bool
  private let inbox: FrameInbox
  private var preRoll: PreRoll?
  private let history: ArchiveStreamDescription.History
  private var duplicates = DuplicateFilter()
  private var gate = VideoGate()
  private var allowance: StreamAllowance?
  private var timeLapse: TimeLapsePace?
  private var undecodable = 0

  init(_ request: ArchiveStreamRequest) {
    hasAudio = request.description.hasAudio
    hasVideo = request.description.hasVideo
    isThinned = request.description.isThinned
    inbox = request.inbox
    preRoll = request.preRoll
    history = request.description.history
    allowance = request.description.maximumBitrate.map { StreamAllowance($0) }
    timeLapse = request.description.timeLapse.map { TimeLapsePace($0) }
  }

  /// Frames that the disk was too slow for.
  var overflow: Int { inbox.audio.dropped + inbox.video.dropped }

  /// Frames beyond the bit rate.
  var refused: Int { allowance?.refused ?? 0 }

  /// Frames that were left out, whatever for.
  var dropped: Int { overflow + undecodable + refused }

  /// Whether there is a pre-roll to begin with, and the inbox holds the frame up to which it goes.
  var isPreRollDue: Bool { preRoll != nil && !inbox.isEmpty }

  /// Where the inbox ends now: see ``firstKind(before:)``.
  var mark: FrameInbox.Mark { inbox.mark }

  /// The kind of the next frame in the inbox, if that came before the mark.
  func firstKind(before mark: FrameInbox.Mark) -> MediaKind? { inbox.firstKind(before: mark) }

  /// Asks to be woken with the next frame; false if there is one already.
  func wantWake() -> Bool { inbox.wantWake() }

  /// Whether a key frame has to be requested now.
  ///
  /// - Parameter isWanted: whether there is another reason for one than frames that cannot be decoded.
  mutating func needsKeyFrame(isWanted: Bool, now: MonotonicInstant) -> Bool {
    if let isDue = timeLapse?.needsRequest(now: now) { return isDue }
    guard hasVideo, allowance?.takesKeyFrame(now: now) != false else { return false }
    return gate.needsRequest(isWanted: isWanted, now: now)
  }

  /// What came before the recording; nil from the second call on. The inbox holds a frame by now or never will, so every
  /// frame is in what was kept, in the inbox, or in both; of a kind that has not come yet the filter finds those that are
  /// in both.
  mutating func takePreRoll() -> KeptFrames? {
    preRoll.take()?.keptFrames(history, before: inbox.firstHeader?.timestamp)
  }

  /// Decides about the next frame that was kept.
  mutating func admitsKept(_ header: EncodedFrameHeader, byteCount: Int, now: MonotonicInstant) -> Bool {
    guard isWanted(header) else { return false }
    duplicates.note(header)
    return admits(header, byteCount: byteCount, now: now)
  }

  /// Whether a frame that was kept precedes those in the inbox.
  private func isWanted(_ header: EncodedFrameHeader) -> Bool {
    guard header.kind == .audio ? hasAudio : hasVideo else { return false }
    return inbox.ring(for: header.kind).firstHeader.map { header.timestamp < $0.timestamp } ?? true
  }

  /// Takes a frame of this kind out of the inbox and lends it, if it is to be written.
  mutating func take(_ kind: MediaKind, now: MonotonicInstant, _ body: (EncodedFrameHeader, RawSpan) -> Void) {
    inbox.ring(for: kind).popFirst { header, payload in
      if timeLapse != nil {
        if let shown = timeLapse?.take(header) { body(shown, payload) }
        return
      }
      guard !duplicates.contains(header), admits(header, byteCount: payload.byteCount, now: now) else { return }
      body(header, payload)
    }
  }

  /// How long nothing in the inbox is wanted; nil where everything may be.
  func timeUntilWanted(now: MonotonicInstant) -> TimeSpan? { timeLapse?.timeUntilDue(now: now) }

  private mutating func admits(_ header: EncodedFrameHeader, byteCount: Int, now: MonotonicInstant) -> Bool {
    guard header.kind == .audio || gate.admits(header) else {
      undecodable += 1
      return false
    }
    guard !isThinned || header.temporalLayer == 0 else { return false }
    guard allowance?.admits(header, byteCount: byteCount, now: now) != false else {
      if header.kind == .video { gate.close() }
      return false
    }
    return true
  }
}
