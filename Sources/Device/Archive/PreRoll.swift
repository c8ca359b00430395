public import MediaCore
public import RealtimeRuntime
import SystemSupport

/// Keeps the last seconds of a stream encoded in memory, so that a recording can begin before it was asked for.
///
/// Attach ``inbox`` to the bus that encoders publish on, and hand the pre-roll to
/// ``ArchiveRecorder/addStream(streamID:connectionData:hasAudio:hasVideo:preRoll:requestKeyFrame:)``; attach the inbox
/// that this returns to the same bus, then nothing is missing and nothing twice. Any number of recordings may begin
/// with the same pre-roll. It needs key frames every few seconds, since it keeps and forgets whole GOPs.
///
/// A thread of its own copies frames, about twice a second, until this object goes; then the memory is given back.
public final class PreRoll: Sendable {
  /// Where frames go: audio from one thread, video from one thread.
  public let inbox: FrameInbox
  private let work: PreRollWork

  /// The longest span that may be kept.
  public static let longestSpan = TimeSpan.seconds(60)

  /// - Parameters:
  ///   - span: what is kept at least, once that much has come; up to one GOP more. At most 60 s.
  ///   - byteLimit: of frames that are kept, the oldest going first; `nil` allows 2 Mbit/s.
  ///   - requestKeyFrame: called on the pre-roll's thread when a frame was lost, at most once a second; must not block.
  public init(
    span: TimeSpan, byteLimit: Int? = nil, requestKeyFrame: @escaping @Sendable () -> Void
  ) throws(ArchiveError) {
    let span = Self.bounded(span)
    let limit = byteLimit ?? Self.byteLimit(span)
    do {
      inbox = FrameInbox(audioBytes: 64 * 1024, videoBytes: 1024 * 1024, wake: try EventDescriptor())
      work = PreRollWork(
        inbox: inbox, history: FrameHistory(span: span, byteLimit: limit), requestKeyFrame: requestKeyFrame)
      let work = work
      try MediaThread(name: "pre-roll") { work.run() }.detach()
    } catch {
      throw .system(error)
    }
  }

  private static func bounded(_ span: TimeSpan) -> TimeSpan { min(max(span, .zero), longestSpan) }

  private static func byteLimit(_ span: TimeSpan) -> Int {
    max(4 << 20, Int(clamping: span.milliseconds).saturatingMultiplied(by: 256))
  }

  deinit { work.stop() }

  /// Keeps another span from now on, with the bytes that are allowed for it; nothing that is kept and still wanted goes.
  public func keep(_ span: TimeSpan) {
    let span = Self.bounded(span)
    work.keep(span, byteLimit: Self.byteLimit(span))
  }

  /// Copies what is kept, so that the pre-roll continues while a disk takes its time.
  ///
  /// - Parameters:
  ///   - extent: how much of it.
  ///   - next: the first frame that the taker has itself, from which spans count back; `nil` counts from the last frame
  ///     that is kept.
  func keptFrames(_ extent: ArchiveStreamDescription.History = .all, before next: MonotonicInstant?) -> KeptFrames {
    work.keptFrames(extent, before: next)
  }
}

/// The thread of a pre-roll, and what it shares with recordings.
private final class PreRollWork: Sendable {
  private struct State: ~Copyable {
    var history: FrameHistory
    var gate = VideoGate()
    var lacksKeyFrame = false

    /// Whether frames come that are useless without a key frame, and none has been requested in this second.
    var needsKeyFrame: Bool {
      mutating get {
        (lacksKeyFrame || history.lacksKeyFrame) && gate.needsRequest(isWanted: true, now: MonotonicClock.now())
      }
    }

    mutating func take(_ header: EncodedFrameHeader, _ payload: RawSpan) {
      if header.kind == .video {
        lacksKeyFrame = !gate.admits(header)
        guard !lacksKeyFrame else { return }
      }
      history.push(header, payload)
    }
  }

  private let inbox: FrameInbox
  private let state: Mutex<State>
  private let isStopping = Atomic<Bool>(false)
  private let requestKeyFrame: @Sendable () -> Void

  /// Frames wait in the inbox meanwhile.
  private static let round = TimeSpan.milliseconds(500)
  private static let longestWait = TimeSpan.seconds(10)

  init(inbox: FrameInbox, history: consuming FrameHistory, requestKeyFrame: @escaping @Sendable () -> Void) {
    self.inbox = inbox
    self.requestKeyFrame = requestKeyFrame
    state = Mutex(State(history: history))
  }

  func stop() {
    isStopping.store(true, ordering: .releasing)
    inbox.wake.signal()
  }

  func keep(_ span: TimeSpan, byteLimit: Int) {
    state.withLock { $0.history.keep(span: span, byteLimit: byteLimit) }
  }

  func run() {
    while !isStopping.load(ordering: .acquiring) {
      let (count, needsKeyFrame) = state.withLock { state in
        let count = Self.drain(inbox, into: &state)
        state.history.trim()
        return (count, state.needsKeyFrame)
      }
      if needsKeyFrame { requestKeyFrame() }
      if count > 0 {
        _ = inbox.wake.wait(timeout: Self.round)
      } else if inbox.wantWake() {
        _ = inbox.wake.wait(timeout: Self.longestWait)
      }
    }
  }

  func keptFrames(_ extent: ArchiveStreamDescription.History, before next: MonotonicInstant?) -> KeptFrames {
    state.withLock { state in
      _ = Self.drain(inbox, into: &state)
      return state.history.copy(extent, before: next)
    }
  }

  /// The lock makes the draining thread the one consumer of the inbox.
  private static func drain(_ inbox: FrameInbox, into state: inout State) -> Int {
    var count = 0
    while let kind = inbox.firstKind {
      inbox.ring(for: kind).popFirst { header, payload in state.take(header, payload) }
      count += 1
    }
    return count
  }
}
