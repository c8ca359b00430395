import HubClient
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling
internal import JournalLogging

/// The previews that are shown or set up: those whom the device calls see it before they answer, where the policy
/// permits it.
///
/// A preview is no part of its call: it has a transport of its own, it is not recorded, and the call rings on as if
/// there were none. It ends when the call is connected or over.
struct CallPreviews {
  /// Pages that one call shows previews to at once.
  static let perCall = 4
  /// Previews of all calls at once: each sends the video once more.
  static let perDevice = 8
  /// Requests of one call, granted or not; further ones are ignored.
  static let requestsPerCall = 16

  /// Takes the result of one of a preview's actions.
  typealias Report = @Sendable (ActionResult, SessionID) async -> Void

  private struct Entry {
    var preview: CallPreview
    let media: SerialActions<MediaAction>
  }

  private let media: any MediaPlane
  private let mutes: MuteControl
  private let watchers: EventWatchers
  private let logger: Logger
  private var entries: [SessionID: Entry] = [:]

  init(media: any MediaPlane, mutes: MuteControl, watchers: EventWatchers, logger: Logger) {
    (self.media, self.mutes, self.watchers, self.logger) = (media, mutes, watchers, logger)
  }

  func contains(_ id: SessionID) -> Bool { entries[id] != nil }

  // MARK: Time

  /// When ``tick(_:now:)`` has something to do next.
  var nextDeadline: MonotonicInstant? { entries.values.compactMap(\.preview.deadline).min() }

  /// Ends previews that could not be set up in time.
  mutating func tick(_ calls: inout LiveCalls, now: MonotonicInstant) {
    let overdue = entries.filter { $0.value.preview.deadline.map { $0 <= now } ?? false }.map(\.key).sorted()
    for id in overdue { update(id, &calls) { $0.tick(now: now) } }
  }

  // MARK: What happens

  /// Takes what a page of the called person asks for.
  mutating func receive(
    _ request: PreviewRequest, of signal: SignalEvent, _ calls: inout LiveCalls, now: MonotonicInstant,
    report: @escaping Report
  ) {
    guard let call = calls[signal.sessionID], call.isLive, signal.userID == call.details.party.userID else { return }
    switch request {
    case .begin(let id): begin(id, of: signal.sessionID, &calls, now: now, report: report)
    case .answer(let id, let sdp): update(id, of: signal.sessionID, &calls) { $0.answered(sdp) }
    case .candidates(let id, let candidates): update(id, of: signal.sessionID, &calls) { $0.received(candidates) }
    case .end(let id): update(id, of: signal.sessionID, &calls) { $0.pageEnded() }
    }
  }

  /// Takes the result of one of a preview's actions.
  mutating func take(_ result: ActionResult, of id: SessionID, _ calls: inout LiveCalls) {
    switch result {
    case .offered(let sdp): update(id, &calls) { $0.mediaOffered(sdp) }
    case .answerUnusable: update(id, &calls) { $0.answerUnusable() }
    // A preview asks for nothing else.
    case .placed, .hubFailed, .answered, .renegotiated, .archiveStarted, .archiveFailed, .archiveStopped, .controlled,
      .idle:
      break
    }
  }

  /// Takes an event of the media plane that is about a preview; returns whether it is.
  mutating func take(_ event: MediaPlaneEvent, _ calls: inout LiveCalls) -> Bool {
    guard let id = event.endpointID, let callID = entries[id]?.preview.callID else { return false }
    switch event {
    case .localCandidates(_, let candidates): update(id, &calls) { $0.gathered(candidates) }
    case .connected: update(id, &calls) { $0.mediaConnected() }
    case .ended: update(id, &calls) { $0.mediaEnded() }
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
  mutating func endFinished(_ calls: inout LiveCalls) {
    let finished = entries.filter { calls[$0.value.preview.callID]?.machine.permitsEarlyUse != true }.map(\.key)
    for id in finished.sorted() { update(id, &calls) { $0.end(.over) } }
  }

  // MARK: Steps

  private mutating func begin(
    _ id: SessionID, of callID: SessionID, _ calls: inout LiveCalls, now: MonotonicInstant, report: @escaping Report
  ) {
    // An id of a call or of another preview is not used twice.
    guard calls[id] == nil, entries[id] == nil, let isFirstExcess = calls[callID]?.notePreviewRequest() else { return }
    if isFirstExcess {
      logger.warning("call \(session: callID): previews are asked for too often; further requests are ignored")
    }
    guard let call = calls[callID], call.previewRequests <= Self.requestsPerCall else { return }
    guard let terms = call.previewTerms else { return send(.end(.notOffered), about: id, call) }
    guard hasRoom(for: callID) else { return send(.end(.tooMany), about: id, call) }
    let (preview, actions) = CallPreview.start(terms, of: callID, call.details.iceServers, now: now)
    entries[id] = Entry(preview: preview, media: makeMediaActions(call.details.preview(as: id), report))
    update(id, &calls) { _ in actions }
  }

  private func makeMediaActions(_ details: CallDetails, _ report: @escaping Report) -> SerialActions<MediaAction> {
    let performer = MediaActionPerformer(media: media, mutes: mutes, watchers: watchers, logger: logger, call: details)
    let id = details.sessionID
    return SerialActions(
      id, logger: logger, perform: { await performer.perform($0) }, report: { await report($0, id) })
  }

  /// Whether another may begin.
  private func hasRoom(for callID: SessionID) -> Bool {
    entries.count < Self.perDevice && entries.values.count { $0.preview.callID == callID } < Self.perCall
  }

  /// Applies what one of a call's pages has sent; that of another call's preview is ignored.
  private mutating func update(
    _ id: SessionID, of callID: SessionID, _ calls: inout LiveCalls,
    _ step: (inout CallPreview) -> [CallPreview.Action]
  ) {
    if entries[id]?.preview.callID == callID { update(id, &calls, step) }
  }

  /// Applies an event to a preview, begins what it has the media plane do and sends what it has to send.
  ///
  /// One that has ended is forgotten: what carries its media out ends by itself.
  private mutating func update(
    _ id: SessionID, _ calls: inout LiveCalls, _ step: (inout CallPreview) -> [CallPreview.Action]
  ) {
    guard var entry = entries[id] else { return }
    let actions = step(&entry.preview)
    let hasEnded = entry.preview.phase == .ended
    if hasEnded { entry.media.end() }
    entries[id] = hasEnded ? nil : entry
    let callID = entry.preview.callID
    for action in actions {
      switch action {
      case .media(let action): entry.media.append(action)
      case .send(let message): calls[callID].map { send(message, about: id, $0) }
      }
    }
    noteShown(callID, &calls)
  }

  /// Counts the pages that see a call's preview.
  private func noteShown(_ callID: SessionID, _ calls: inout LiveCalls) {
    let count = entries.values.count { $0.preview.callID == callID && $0.preview.phase == .showing }
    guard let call = calls[callID], call.previews != count else { return }
    calls[callID]?.previews = count
    let userID = call.details.party.userID
    logger.notice(
      count > call.previews
        ? "call \(session: callID): \(userID) sees the preview (\(count) of at most \(Self.perCall))"
        : "call \(session: callID): a preview of \(userID) is over")
  }

  private func send(_ message: PreviewMessage, about id: SessionID, _ call: Call) {
    guard let signal = message.signal(of: id) else {
      logger.warning(
        "call \(session: call.details.sessionID): what a preview needs is longer than a signal may be, so there is none"
      )
      return
    }
    call.enqueue(.send(.signal(signal)))
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
  var endpointID: SessionID? {
    switch self {
    case .localCandidates(let id, _), .offerMade(let id, _), .connected(let id), .mediaMissing(let id, _),
      .pathMissing(let id, _, _), .linesSkipped(let id, _), .notHeard(let id, _), .heard(let id),
      .digitReceived(let id, _), .ended(let id, _):
      id
    case .archiveStopped, .cameraSwapped, .notice: nil
    }
  }
}
