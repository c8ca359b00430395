import CallPolicy
import Signalling

/// What a call's state machine, or a moderator, asks the engine to do.
///
/// Each of a call's two queues is drained by itself, so that a hub that does not answer holds up no media and a camera
/// that hangs holds up no message.
enum CallAction: Sendable, Equatable {
  case hub(HubAction)
  case media(MediaAction)
}

/// What the hub is to be told.
enum HubAction: Sendable, Equatable {
  case ring
  case place(offer: String)
  case reject(RejectReason)
  /// The offer's number is 0 for the answer that takes the call, not one within it.
  case sendAnswer(sdp: String, offerNumber: Int?)
  case sendOffer(sdp: String)
  case sendCandidates([String])
  case warn(CallWarning)
  case announceArchive(archiveID: String, status: String)
  /// `refusal` says why the control was not carried out.
  case reportControl(CallControl, refusal: ControlRefusal?)
  case endSession(reason: String)
}

/// What the media plane is to do.
enum MediaAction: Sendable, Equatable {
  case answer(AnswerSettings)
  case offer(OutgoingSettings)
  case accept(answer: String)
  case addServers([ICEServer])
  case renegotiate(NumberedOffer)
  case addCandidates([String])
  /// Tells the media plane what is muted, then whoever asked for it.
  case tellMutes(CallControl?)
  case swapCamera(CallControl)
  case startArchive(rule: String?)
  case stopArchive(archiveID: String)
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
    case .reject, .endSession: true
    default: false
    }
  }

  var isEssential: Bool { if case .announceArchive = self { true } else { endsCall } }

  var byteCount: Int {
    switch self {
    case .place(let sdp), .sendAnswer(let sdp, _), .sendOffer(let sdp): sdp.utf8.count
    case .sendCandidates(let candidates): candidates.reduce(0) { $0 + $1.utf8.count }
    case .reportControl(let control, _): control.byteCount
    case .ring, .reject, .warn, .announceArchive, .endSession: 0
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
    case .swapCamera(let control): control.byteCount
    case .tellMutes(let control): control?.byteCount ?? 0
    case .answer, .offer, .addServers, .startArchive, .stopArchive, .hangUp: 0
    }
  }
}

/// What a moderator asked for, to be named in the result.
struct CallControl: Sendable, Equatable {
  var action: String
  var target: String?

  fileprivate var byteCount: Int { action.utf8.count + (target?.utf8.count ?? 0) }
}
