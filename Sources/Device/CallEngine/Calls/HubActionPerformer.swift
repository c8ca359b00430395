import HubClient
import MediaCore
import Signalling

/// Sends the hub's messages about one call.
struct HubActionPerformer: Sendable {
  let hub: any SignallingHub
  let watchers: EventWatchers
  let call: CallDetails

  func perform(_ action: HubAction) async -> ActionResult? {
    do throws(HubClientError) {
      switch action {
      case .place(let offer): return .placed(try await place(offer))
      case .announceArchive(let archiveID, let status): try await announce(archiveID, status)
      case .send(let message): try await hub.send(message, sessionID: call.sessionID)
      }
      return nil
    } catch {
      return .hubFailed(action, error)
    }
  }

  private func place(_ offer: String) async throws(HubClientError) -> [ICEServer] {
    let request = SessionRequest(
      receiverID: call.party.userID, isAudio: call.isAudio, isVideo: call.isVideo, offer: offer)
    return try await hub.place(request, sessionID: call.sessionID).iceServers
  }

  /// Watchers receive how the archive ended; the other party, that it did.
  private func announce(_ archiveID: ArchiveID, _ status: ArchiveStatus) async throws(HubClientError) {
    let sessionID = call.sessionID
    watchers.notify(
      status == .started
        ? .archiveStarted(archiveID: archiveID, sessionID: sessionID)
        : .archiveStopped(archiveID: archiveID, sessionID: sessionID, status: status))
    let event = ArchiveAnnouncement(
      sessionID: sessionID, archiveID: archiveID, status: status == .started ? .started : .stopped)
    try await hub.send(.archive(event), sessionID: sessionID)
  }
}

extension CallPlacing.Refusal {
  init(_ error: HubClientError) {
    self = error.isAbsence ? .unreachable : .refused(error.refusal ?? EndReason.error.rawValue)
  }
}
