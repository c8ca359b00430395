import CallEngine
import ControlMessages
import EventDetection
import MediaCore
import MediaPlaneAPI
import RealtimeRuntime
import Signalling

/// The engine's values as control messages.

extension PositionStatus {
  init(_ report: PositionReport) {
    self.init(
      age: report.age, since: report.age.map { wallClockMilliseconds() - Int64($0) * 1_000 }, isStale: report.isStale,
      refused: report.refusedCount, doubt: report.doubt)
  }
}

extension OnlineUser {
  init(_ user: NearbyUser) {
    self.init(
      userID: user.userID, userTitle: user.userTitle, kind: user.kind.rawValue, status: user.status.rawValue,
      distance: user.distance)
  }
}

extension SessionStatus {
  /// The wall clock may have been set since the call began, so its time is reckoned from the call's age.
  init(_ call: CallSnapshot, _ media: MediaPlaneStatus.Session?, now: MonotonicInstant) {
    self.init(
      sessionID: call.sessionID.text, callerID: call.caller.userID, callerTitle: call.caller.userTitle,
      state: call.phase.name, isAudio: call.isAudio, isVideo: call.isVideo,
      startedAt: wallClockMilliseconds() - (now - call.startedAt).milliseconds, policyRule: call.ruleName,
      archiveID: call.archiveID?.text, sendBitrate: media?.sendBitrate, receiveBitrate: media?.receiveBitrate,
      roundTripTime: media?.roundTripTime)
    receiverID = call.receiver?.userID
    receiverTitle = call.receiver?.userTitle
    camera = call.camera
    phones = call.phones
    previews = call.previews > 0 ? call.previews : nil
    notes = call.notes.isEmpty ? nil : call.notes
  }
}

extension HuntStatus {
  /// Its time is reckoned from the hunt's age, as ``SessionStatus`` reckons that of a call.
  init(_ hunt: HuntSnapshot, now: MonotonicInstant) {
    self.init(
      name: hunt.name, state: hunt.stateName, text: hunt.text,
      startedAt: wallClockMilliseconds() - (now - hunt.startedAt).milliseconds)
  }
}

extension HuntSnapshot {
  fileprivate var stateName: String {
    switch state {
    case .calling: "calling"
    case .answered: "answered"
    case .ended: "ended"
    }
  }
}

extension MediaDeviceStatus {
  /// With those who muted it named.
  func muted(by mutes: MuteState) -> MediaDeviceStatus {
    var status = self
    let by = mutes.mutedBy(target)
    status.mutedBy = by.isEmpty ? nil : by
    return status
  }
}

extension RecordingStatus {
  /// Its time is reckoned from the archive's age, as ``SessionStatus`` reckons that of a call.
  init(_ archive: MediaPlaneStatus.Archive, now: MonotonicInstant) {
    self.init(
      archiveID: archive.archiveID.text, sessionID: archive.sessionID?.text,
      startedAt: wallClockMilliseconds() - (now - archive.startedAt).milliseconds,
      size: Int64(clamping: archive.size), droppedFrames: archive.droppedFrames)
    unflushed = archive.unflushed.milliseconds
  }
}

extension DeviceEvent {
  init(_ event: EngineEvent, time: Int64) {
    switch event {
    case .incoming(let call):
      self.init(
        name: "call.incoming", time: time, sessionID: call.sessionID.text, userID: call.party.userID,
        text: call.party.userTitle)
    case .call(let call):
      self.init(name: Self.name(call), time: time, sessionID: call.sessionID.text, userID: call.party.userID)
      archiveID = call.archiveID?.text
      if case .ended(let reason) = call.phase { text = reason } else { text = call.party.userTitle }
    case .chat(let message):
      self.init(
        name: Self.chatName, time: time, sessionID: message.sessionID.text, userID: message.userID, text: message.text)
    case .hunt(let hunt):
      self.init(name: "hunt.\(hunt.stateName)", time: time, text: hunt.text)
      self.hunt = hunt.name
      if case .answered(let party, let answeredID) = hunt.state {
        (userID, sessionID, text) = (party.userID, answeredID.text, party.userTitle)
      }
    case .muted(let target, let isMuted):
      self.init(name: isMuted ? "muted" : "unmuted", time: time, text: target.rawValue)
    case .cameraSwapped(let name):
      self.init(name: "camera.swapped", time: time, text: name)
    case .archiveStarted(let archiveID, let sessionID):
      self.init(name: "archive.started", time: time, sessionID: sessionID?.text, archiveID: archiveID.text)
    case .archiveStopped(let archiveID, let sessionID, let status):
      self.init(
        name: "archive.stopped", time: time, sessionID: sessionID?.text, archiveID: archiveID.text,
        text: status.rawValue)
    case .hub(let isConnected):
      self.init(name: isConnected ? "hub.connected" : "hub.disconnected", time: time)
    case .action(let use):
      self.init(
        name: use.refusal == nil ? "action.done" : "action.refused", time: time, sessionID: use.sessionID?.text,
        userID: use.userID, text: Self.text(use))
    case .detected(let timed):
      self.init(name: timed.end == nil ? "event.began" : "event.ended", time: time, text: timed.event.summary)
      (eventID, self.event) = (timed.id, timed.event)
    case .eventRule(let use): self.init(use, time: time)
    case .source(let text):
      self.init(name: "source", time: time, text: text)
    }
  }

  private init(_ use: EventRuleUse, time: Int64) {
    let outcome = use.failure.map { ": \($0)" } ?? ""
    self.init(
      name: use.failure == nil ? "rule.done" : "rule.failed", time: time,
      text: "\"\(use.rule)\": \(use.effect)\(outcome)")
    eventID = use.eventID
  }

  private static func text(_ use: ActionUse) -> String {
    let requester = use.userID == nil ? " for \(use.requester)" : ""
    return use.action + requester + (use.refusal.map { ": \($0)" } ?? "")
  }

  private static func name(_ call: CallSnapshot) -> String {
    switch call.phase {
    case .offering: "call.outgoing"
    case .calling: "call.calling"
    case .delaying, .ringing, .alerting: "call.ringing"
    case .answering: "call.answering"
    case .connecting: "call.answered"
    case .connected: "call.connected"
    case .ended(let reason): RejectReason(rawValue: reason) == nil ? "call.ended" : "call.rejected"
    }
  }
}

extension DetectedEvent {
  /// For people.
  fileprivate var summary: String {
    guard let end else { return title }
    return "\(title), \(end.saturatingSubtracting(start) / 1_000) s, score \(score)"
  }
}
