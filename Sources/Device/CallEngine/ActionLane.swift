import Signalling

/// A queue of actions that are carried out one after the other, bounded in number and in bytes.
struct ActionLane: Sendable {
  static let capacity = 64
  /// What waits at most, SDP and candidates above all: what the other side sends while media or hub are busy.
  static let maximumBytes = 128 << 10

  private var pending: [CallAction] = []
  private var byteCount = 0
  /// Whether somebody works the queue off.
  var isRunning = false
  /// Whether an action has been dropped before, so that it is logged once.
  var hasOverflowed = false

  var isIdle: Bool { pending.isEmpty && !isRunning }

  /// Queues an action; returns false if it was dropped because the queue is full.
  mutating func append(_ action: CallAction) -> Bool {
    if action.endsCall {
      pending.removeAll { !$0.isEssential }
      byteCount = pending.reduce(0) { $0 + $1.byteCount }
    }
    let isRoom = pending.count < Self.capacity && action.byteCount <= Self.maximumBytes - byteCount
    guard isRoom || action.isEssential else { return false }
    pending.append(action)
    byteCount += action.byteCount
    return true
  }

  mutating func popFirst() -> CallAction? {
    guard !pending.isEmpty else { return nil }
    let action = pending.removeFirst()
    byteCount -= action.byteCount
    return action
  }
}

extension CallAction {
  /// The bytes that came from outside.
  fileprivate var byteCount: Int {
    switch self {
    case .place(let sdp), .sendAnswer(let sdp, _), .sendOffer(let sdp), .acceptMedia(let sdp):
      sdp.utf8.count
    case .renegotiateMedia(let offer): offer.sdp.utf8.count
    case .sendCandidates(let candidates), .addCandidates(let candidates):
      candidates.reduce(0) { $0 + $1.utf8.count }
    case .reportControl(let control, _), .swapCamera(let control): control.byteCount
    case .tellMutes(let control): control?.byteCount ?? 0
    case .ring, .reject, .warn, .announceArchive, .endSession, .answerMedia, .offerMedia, .addServers, .startArchive,
      .stopArchive, .hangUpMedia:
      0
    }
  }
}

extension CallControl {
  fileprivate var byteCount: Int { action.utf8.count + (target?.utf8.count ?? 0) }
}
