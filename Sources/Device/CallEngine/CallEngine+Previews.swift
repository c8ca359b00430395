import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling
internal import JournalLogging

/// Those whom the device calls see it before they answer, where the policy shows a preview.
///
/// A preview is no part of its call: it has a transport of its own, it is not recorded, and the call rings on as if
/// there were none. It ends when the call is connected or over.
extension CallEngine {
  /// Takes what a page of the called person asks for.
  func receive(_ request: PreviewRequest, of signal: SignalEvent) {
    guard let call = calls[signal.sessionID], call.isLive, signal.userID == call.details.party.userID else { return }
    let sessionID = signal.sessionID
    switch request {
    case .begin(let id): beginPreview(id, of: sessionID)
    case .answer(let id, let sdp): updatePreview(id, of: sessionID) { $0.answered(sdp) }
    case .candidates(let id, let candidates): updatePreview(id, of: sessionID) { $0.received(candidates) }
    case .end(let id): updatePreview(id, of: sessionID) { $0.pageEnded() }
    }
  }

  private func beginPreview(_ id: SessionID, of sessionID: SessionID) {
    // An id of a call or of another preview is not used twice.
    guard calls[id] == nil, previews[id] == nil, let isFirstExcess = calls[sessionID]?.notePreviewRequest() else {
      return
    }
    if isFirstExcess {
      logger.warning("call \(session: sessionID): previews are asked for too often; further requests are ignored")
    }
    guard let call = calls[sessionID], call.previewRequests <= CallPreviews.requestsPerCall else { return }
    guard let terms = call.previewTerms else { return send(.end(.notOffered), about: id, in: sessionID) }
    guard previews.hasRoom(for: sessionID) else { return send(.end(.tooMany), about: id, in: sessionID) }
    let (preview, actions) = CallPreview.start(terms, of: sessionID, call.details.iceServers, now: environment.now())
    previews.insert(preview, as: id, makeMediaActions(of: call.details.preview(as: id), id))
    updatePreview(id, of: sessionID) { _ in actions }
  }

  private func makeMediaActions(of details: CallDetails, _ id: SessionID) -> SerialActions<MediaAction> {
    let media = MediaActionPerformer(
      media: environment.media, mutes: mutes, watchers: watchers, logger: logger, call: details)
    return SerialActions(
      id, logger: logger, perform: { await media.perform($0) }, report: { [weak self] in await self?.take($0, of: id) })
  }

  /// Takes the result of one of a preview's actions.
  private func take(_ result: ActionResult, of id: SessionID) {
    guard let callID = previews[id]?.callID else { return }
    switch result {
    case .offered(let sdp): updatePreview(id, of: callID) { $0.mediaOffered(sdp) }
    case .answerUnusable: updatePreview(id, of: callID) { $0.answerUnusable() }
    // A preview asks for nothing else.
    case .placed, .hubFailed, .answered, .renegotiated, .archiveStarted, .archiveFailed, .archiveStopped, .controlled,
      .idle:
      break
    }
  }

  /// Takes an event of the media plane that is about a preview; returns whether it is.
  func takePreview(_ event: MediaPlaneEvent) -> Bool {
    guard let id = event.endpointID, let callID = previews[id]?.callID else { return false }
    switch event {
    case .localCandidates(_, let candidates): updatePreview(id, of: callID) { $0.gathered(candidates) }
    case .connected: updatePreview(id, of: callID) { $0.mediaConnected() }
    case .ended: updatePreview(id, of: callID) { $0.mediaEnded() }
    case .pathMissing(_, _, let text):
      logger.warning("call \(session: callID): its preview finds no path: \(text)")
    // A preview that restarts ICE has lost its path; the page asks for another one.
    case .offerMade, .mediaMissing, .linesSkipped, .notHeard, .heard, .digitReceived, .archiveStopped, .cameraSwapped,
      .notice:
      break
    }
    return true
  }

  /// Ends the previews of calls that do not ring any longer.
  func endFinishedPreviews() {
    for callID in previews.callIDs where calls[callID]?.machine.permitsEarlyUse != true {
      for id in previews.ids(of: callID) { updatePreview(id, of: callID) { $0.end(.over) } }
    }
  }

  /// Ends previews that could not be set up in time.
  func tickPreviews(now: MonotonicInstant) {
    for id in previews.overdue(now: now) {
      guard let callID = previews[id]?.callID else { continue }
      updatePreview(id, of: callID) { $0.tick(now: now) }
    }
  }

  private func updatePreview(
    _ id: SessionID, of callID: SessionID, _ step: (inout CallPreview) -> [CallPreview.Action]
  ) {
    guard previews[id]?.callID == callID else { return }
    for message in previews.update(id, step) { send(message, about: id, in: callID) }
    notePreviews(of: callID)
    loop.wake(by: nextDeadline)
  }

  private func notePreviews(of callID: SessionID) {
    let count = previews.shownCount(of: callID)
    guard let call = calls[callID], call.previews != count else { return }
    calls[callID]?.previews = count
    let userID = call.details.party.userID
    logger.notice(
      count > call.previews
        ? "call \(session: callID): \(userID) sees the preview (\(count) of at most \(CallPreviews.perCall))"
        : "call \(session: callID): a preview of \(userID) is over")
  }

  private func send(_ message: PreviewMessage, about id: SessionID, in callID: SessionID) {
    guard let signal = message.signal(of: id) else {
      logger.warning("call \(session: callID): what a preview needs is longer than a signal may be, so there is none")
      return
    }
    calls[callID]?.enqueue(.send(.signal(signal)))
  }
}

extension Call {
  /// What may be previewed now; nil where nothing may. The hub must have signed who is called.
  fileprivate var previewTerms: PreviewTerms? {
    guard permitsEarlyUse, details.isVideo, details.ownMedia.contains(.video) else { return nil }
    return machine.terms.preview
  }

  /// Counts a request; returns whether it is the first of those that are too many.
  fileprivate mutating func notePreviewRequest() -> Bool {
    previewRequests = min(previewRequests + 1, CallPreviews.requestsPerCall + 2)
    return previewRequests == CallPreviews.requestsPerCall + 1
  }
}

extension CallDetails {
  /// The same call under the id of one of its previews.
  fileprivate func preview(as id: SessionID) -> CallDetails {
    CallDetails(
      sessionID: id, caller: caller, receiver: receiver, isAudio: isAudio, isVideo: isVideo, ownMedia: ownMedia)
  }
}

extension MediaPlaneEvent {
  /// The session of the media plane that it is about; nil for what concerns the device or an archive.
  fileprivate var endpointID: SessionID? {
    switch self {
    case .localCandidates(let id, _), .offerMade(let id, _), .connected(let id), .mediaMissing(let id, _),
      .pathMissing(let id, _, _), .linesSkipped(let id, _), .notHeard(let id, _), .heard(let id),
      .digitReceived(let id, _), .ended(let id, _):
      id
    case .archiveStopped, .cameraSwapped, .notice: nil
    }
  }
}
