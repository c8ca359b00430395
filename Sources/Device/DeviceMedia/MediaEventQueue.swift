import SystemSupport
import MediaPlaneAPI
import Signalling

/// What the engine has yet to read, in order.
///
/// Events of sessions and archives are all kept: each session connects and ends once, each archive stops once, and
/// candidates are bounded by the servers and interfaces that there are. Notices come as devices and disks have it, so
/// only the latest of those wait.
final class MediaEventQueue: Sendable {
  static let noticeLimit = 64

  fileprivate struct State {
    var waiting: [MediaPlaneEvent] = []
    var noticeCount = 0
    var isFinished = false
  }

  let problems: ProblemLog
  private let state = Mutex(State())
  private let changes: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init(_ problems: ProblemLog) {
    self.problems = problems
    (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Has one reader.
  var events: AsyncStream<MediaPlaneEvent> { AsyncStream { await self.next() } }

  /// From any thread. The problem in a notice is noted at once; one that lasts, such as a missing camera that is
  /// requested repeatedly, is reported once.
  func push(_ event: MediaPlaneEvent) {
    if case .notice(let notice) = event, !problems.note(notice) { return }
    state.withLock { $0.append(event) }
    signal.yield()
  }

  func report(_ notice: DeviceNotice) { push(.notice(notice)) }

  /// A session was hung up: nothing more is reported of it, except for its archives.
  func withdraw(_ sessionID: SessionID) { state.withLock { $0.waiting.removeAll { $0.isStep(of: sessionID) } } }

  /// The reader gets what waits, and the end after that.
  func finish() {
    state.withLock { $0.isFinished = true }
    signal.finish()
  }

  private func next() async -> MediaPlaneEvent? {
    while true {
      if let event = state.withLock({ $0.popFirst() }) { return event }
      var iterator = changes.makeAsyncIterator()
      if await iterator.next() == nil { return state.withLock { $0.popFirst() } }
    }
  }
}

extension MediaEventQueue.State {
  fileprivate mutating func append(_ event: MediaPlaneEvent) {
    guard !isFinished else { return }
    waiting.append(event)
    guard event.isNotice else { return }
    noticeCount += 1
    guard noticeCount > MediaEventQueue.noticeLimit, let oldest = waiting.firstIndex(where: \.isNotice) else { return }
    waiting.remove(at: oldest)
    noticeCount -= 1
  }

  fileprivate mutating func popFirst() -> MediaPlaneEvent? {
    guard !waiting.isEmpty else { return nil }
    let event = waiting.removeFirst()
    if event.isNotice { noticeCount -= 1 }
    return event
  }
}

extension MediaPlaneEvent {
  fileprivate var isNotice: Bool { if case .notice = self { true } else { false } }

  /// Whether this is a step in the life of the session.
  fileprivate func isStep(of session: SessionID) -> Bool {
    switch self {
    case .localCandidates(let sessionID, _), .offerMade(let sessionID, _), .connected(let sessionID),
      .mediaMissing(let sessionID, _), .linesSkipped(let sessionID, _), .pathMissing(let sessionID, _, _),
      .notHeard(let sessionID, _),
      .heard(let sessionID),
      .digitReceived(let sessionID, _), .ended(let sessionID, _):
      sessionID == session
    case .archiveStopped, .cameraSwapped, .notice: false
    }
  }
}
