import CallPolicy
import Signalling

/// What a call's state machine, or a moderator, asks the engine to do.
enum CallAction: Sendable, Equatable {
  // To the hub.
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

  // To the media plane.
  case answerMedia(AnswerSettings)
  case offerMedia(OutgoingSettings)
  case acceptMedia(answer: String)
  case addServers([ICEServer])
  case renegotiateMedia(NumberedOffer)
  case addCandidates([String])
  /// Tells the media plane what is muted, then whoever asked for it.
  case tellMutes(CallControl?)
  case swapCamera(CallControl)
  case startArchive(rule: String?)
  case stopArchive(archiveID: String)
  case hangUpMedia

  /// Which of a call's two queues carries the action; each is worked off by itself, so that a hub that does not answer
  /// holds up no media and a camera that hangs holds up no message.
  enum Lane: CaseIterable {
    case hub
    case media
  }

  var lane: Lane {
    switch self {
    case .ring, .place, .reject, .sendAnswer, .sendOffer, .sendCandidates, .warn, .announceArchive, .reportControl,
      .endSession:
      .hub
    case .answerMedia, .offerMedia, .acceptMedia, .addServers, .renegotiateMedia, .addCandidates, .tellMutes,
      .swapCamera,
      .startArchive, .stopArchive, .hangUpMedia:
      .media
    }
  }

  /// Ends the call for its lane: what waits before it is moot, but for what is essential.
  var endsCall: Bool {
    switch self {
    case .reject, .endSession, .hangUpMedia: true
    default: false
    }
  }

  /// Must be done, however full the queue is and whatever comes after it.
  var isEssential: Bool {
    switch self {
    case .stopArchive, .announceArchive: true
    default: endsCall
    }
  }
}

/// What a moderator asked for, to be named in the result.
struct CallControl: Sendable, Equatable {
  var action: String
  var target: String?
}
