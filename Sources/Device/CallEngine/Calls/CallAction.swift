import CallPolicy
import FoundationEssentials
import MediaPlaneAPI
import Signalling

/// What a call's state machine, or a moderator, asks the engine to do.
///
/// Those for the hub and those for the media plane are carried out beside each other, so that a hub that does not answer
/// holds up no media and a camera that hangs holds up no message.
enum CallAction: Sendable {
  case hub(HubAction)
  case media(MediaAction)
}

/// Messages for the hub.
enum HubAction: Sendable {
  case place(offer: String)
  case announceArchive(archiveID: ArchiveID, status: ArchiveStatus)
  case send(SessionMessage)
}

extension HubAction {
  /// For the log: without candidates and SDP, which contain addresses.
  var name: String {
    switch self {
    case .place: "place"
    case .announceArchive: "announceArchive"
    case .send(let message): message.verb.rawValue
    }
  }
}

extension CallAction {
  static func send(_ message: SessionMessage) -> CallAction { .hub(.send(message)) }

  static func candidates(_ candidates: [String]) -> CallAction {
    let list = candidates.map { SessionCandidates.Candidate(candidate: $0, sdpMid: nil, sdpMLineIndex: 0) }
    return .send(.candidates(SessionCandidates(candidates: list)))
  }

  static func warning(_ warning: CallWarning) -> CallAction {
    .send(.signal(SessionSignal(type: "warning", data: warning.json)))
  }

  /// Sends the party what it may choose to see; nothing without JSON.
  static func cameras(_ offer: CameraOffer) -> [CallAction] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(offer) else { return [] }
    return [.send(.signal(SessionSignal(type: CameraSignal.offer, data: String(decoding: data, as: UTF8.self))))]
  }

  /// - Parameter refusal: why the control was not carried out.
  static func controlResult(_ control: CallControl, _ refusal: ControlRefusal?) -> CallAction {
    .send(
      .controlResult(
        SessionControlResult(
          action: control.action, target: control.target, isDone: refusal == nil, reason: refusal?.reason,
          detail: refusal?.detail)))
  }
}

/// What the media plane is to do.
enum MediaAction: Sendable, Equatable {
  case answer(AnswerSettings)
  case offer(OutgoingSettings)
  case preview(PreviewTerms)
  case accept(answer: String)
  case addServers([ICEServer])
  case renegotiate(NumberedOffer)
  case addCandidates([String])
  /// Has the media plane apply what is muted, then reports to the requester.
  case applyMutes(CallControl?)
  case swapCamera(CallControl)
  case chooseCamera(CallControl)
  /// - Parameter isRetry: whether it is known already that the call is not recorded.
  case startArchive(rule: String?, isRetry: Bool)
  case stopArchive(archiveID: ArchiveID, reason: ArchiveStopReason)
  case hangUp
}

/// An action as its queue sees it.
protocol QueuedAction: Sendable {
  /// Ends the call for its queue: what waits before it is moot, but for what is essential.
  var endsCall: Bool { get }
  /// Must be done, however full the queue is and whatever comes after it.
  var isEssential: Bool { get }
  /// The bytes that came from outside.
  var byteCount: Int { get }
}

extension HubAction: QueuedAction {
  var endsCall: Bool {
    switch self {
    case .send(.reject), .send(.end): true
    case .place, .announceArchive, .send: false
    }
  }

  var isEssential: Bool { if case .announceArchive = self { true } else { endsCall } }

  var byteCount: Int {
    switch self {
    case .place(let offer): offer.utf8.count
    case .send(let message): message.byteCount
    case .announceArchive: 0
    }
  }
}

extension SessionMessage {
  /// The bytes that came from outside.
  fileprivate var byteCount: Int {
    switch self {
    case .answer(let description), .offer(let description): description.sdp.utf8.count
    case .candidates(let list): list.candidates.reduce(0) { $0 + $1.candidate.utf8.count }
    case .controlResult(let result): result.action.utf8.count + (result.target?.utf8.count ?? 0)
    case .ringing, .reject, .signal, .control, .archive, .end: 0
    }
  }
}

extension MediaAction: QueuedAction {
  var endsCall: Bool { self == .hangUp }

  var isEssential: Bool { if case .stopArchive = self { true } else { endsCall } }

  var byteCount: Int {
    switch self {
    case .accept(let sdp): sdp.utf8.count
    case .renegotiate(let offer): offer.sdp.utf8.count
    case .addCandidates(let candidates): candidates.reduce(0) { $0 + $1.utf8.count }
    case .swapCamera(let control), .chooseCamera(let control): control.byteCount
    case .applyMutes(let control): control?.byteCount ?? 0
    case .answer, .offer, .preview, .addServers, .startArchive, .stopArchive, .hangUp: 0
    }
  }
}

/// What a moderator asked for, to be named in the result.
struct CallControl: Sendable, Equatable {
  var action: String
  var target: String?

  /// The name of what the other party sees once this is carried out; nil where that stays as it is.
  var chosenCamera: String? { action == "choose-camera" ? target : nil }

  fileprivate var byteCount: Int { action.utf8.count + (target?.utf8.count ?? 0) }
}
