import CallPolicy
import Logging
import MediaCore
public import MediaPlaneAPI
import Signalling
internal import JournalLogging

/// Carries out what the media plane is to do for one call.
struct MediaActionPerformer: Sendable {
  let media: any MediaPlane
  let mutes: MuteControl
  let watchers: EventWatchers
  let logger: Logger
  let call: CallDetails

  private var sessionID: SessionID { call.sessionID }

  func perform(_ action: MediaAction) async -> ActionResult? {
    switch action {
    case .answer(let settings): return await answer(settings)
    case .offer(let settings): return await offer(settings)
    case .preview(let terms): return await offer(terms)
    case .accept(let answer): return await accept(answer)
    case .renegotiate(let offer): return await renegotiate(offer)
    case .startArchive(let rule, let isRetry): return await startArchive(rule, isRetry: isRetry)
    case .stopArchive(let archiveID, let reason):
      await media.stopArchive(archiveID: archiveID, reason: reason)
      return .archiveStopped(archiveID: archiveID)
    case .swapCamera(let control):
      return await carryOut(control, failure: "the camera cannot be swapped") { try await media.swapCamera() }
    case .chooseCamera(let control):
      return await carryOut(control, failure: "call \(sessionID) is not shown another camera") {
        try await media.show(DeviceView(named: control.target ?? ""), sessionID: sessionID)
      }
    case .applyMutes(let control):
      await mutes.apply()
      return control.map { .controlled($0, refusal: nil) }
    case .addServers(let servers): await media.addICEServers(servers, sessionID: sessionID)
    case .addCandidates(let candidates): await media.addRemoteCandidates(candidates, sessionID: sessionID)
    case .hangUp: await media.hangUp(sessionID: sessionID)
    }
    return nil
  }

  private func answer(_ settings: AnswerSettings) async -> ActionResult {
    let maySend = call.callerRole != .subscriber
    let permitted = Set(publishesAudio: settings.publishesAudio, publishesVideo: settings.publishesVideo)
    let request = PeerSessionRequest(
      sessionID: sessionID, offer: call.offer, publish: call.media.intersection(permitted),
      subscribe: maySend ? [.audio, .video] : [], mayTalk: settings.mayTalk && maySend,
      maxTalkers: settings.maxTalkers, playsTone: settings.playsTone, iceServers: call.iceServers)
    return .answered(await begin(request, showing: settings.camera, failure: "the offer cannot be answered"))
  }

  private func offer(_ settings: OutgoingSettings) async -> ActionResult {
    let permitted = Set(publishesAudio: settings.publishesAudio, publishesVideo: settings.publishesVideo)
    let request = PeerSessionRequest(
      sessionID: sessionID, offer: nil, publish: call.media.intersection(call.ownMedia).intersection(permitted),
      subscribe: call.media, mayTalk: settings.mayTalk)
    return .offered(await begin(request, showing: settings.camera, failure: "no offer can be made"))
  }

  /// Sends alone: those who preview are neither heard nor seen.
  private func offer(_ terms: PreviewTerms) async -> ActionResult {
    let request = PeerSessionRequest(
      sessionID: sessionID, offer: nil, publish: call.media.intersection(call.ownMedia).intersection(terms.media),
      subscribe: [], mayTalk: false)
    return .offered(await begin(request, showing: terms.camera, failure: "no preview can be offered"))
  }

  private func begin(_ request: PeerSessionRequest, showing camera: String?, failure: String) async -> String? {
    var request = request
    if let camera { request.view = DeviceView(named: camera) }
    do {
      return try await media.begin(request)
    } catch {
      logger.warning("call \(session: sessionID): \(failure): \(error)")
      return nil
    }
  }

  private func accept(_ answer: String) async -> ActionResult? {
    do {
      try await media.accept(answer: answer, sessionID: sessionID)
      return nil
    } catch {
      logger.warning("call \(session: sessionID): the answer cannot be used: \(error)")
      return .answerUnusable
    }
  }

  private func renegotiate(_ offer: NumberedOffer) async -> ActionResult {
    do {
      return .renegotiated(try await media.renegotiate(sessionID: sessionID, offer: offer.sdp), to: offer.number)
    } catch {
      // The call continues unchanged; if it cannot, the media plane reports it.
      logger.warning("call \(session: sessionID): the new offer cannot be answered: \(error)")
      return .renegotiated(nil, to: offer.number)
    }
  }

  private func carryOut(
    _ control: CallControl, failure: String, _ change: () async throws -> Void
  ) async -> ActionResult {
    do {
      try await change()
      return .controlled(control, refusal: nil)
    } catch {
      logger.warning("\(failure): \(error)")
      return .controlled(control, refusal: .notPossible)
    }
  }

  private func startArchive(_ rule: String?, isRetry: Bool) async -> ActionResult {
    let description = ArchiveDescription(
      sessionID: sessionID, callerID: call.caller.userID, callerTitle: call.caller.userTitle,
      receiverID: call.receiver?.userID, policyRule: rule, hasAudio: call.isAudio, hasVideo: call.isVideo)
    do {
      let archiveID = try await media.startArchive(description)
      if isRetry { logger.notice("call \(session: sessionID) is recorded again, in archive \(archive: archiveID)") }
      return .archiveStarted(archiveID: archiveID)
    } catch {
      guard !isRetry else { return .archiveFailed }
      // A full or failing disk stops the recording, not the call.
      logger.error(
        "call \(session: sessionID) is not recorded, which is tried again where the policy wants it: \(error)")
      watchers.notify(.source(text: "not recorded: \(error)"))
      return .archiveFailed
    }
  }
}

extension DeviceView {
  /// - Parameter name: as policies and parties of calls name it.
  public init(named name: String) {
    switch name {
    case EventSubject.mainCamera: self = .main
    case AnswerSettings.mosaic: self = .mosaic
    default: self = .camera(name)
    }
  }
}

extension Set<MediaKind> {
  fileprivate init(publishesAudio: Bool, publishesVideo: Bool) {
    self = []
    if publishesAudio { insert(.audio) }
    if publishesVideo { insert(.video) }
  }
}
