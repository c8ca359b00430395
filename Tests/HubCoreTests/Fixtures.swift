import Signalling

@testable import HubCore

extension Principal {
  static func person(_ id: String, role: UserRole = .user, groups: Set<String> = ["default"]) -> Principal {
    Principal(userID: id, userTitle: "Title \(id)", role: role, kind: .person, groups: groups)
  }

  static func device(_ id: String, groups: Set<String> = ["default"]) -> Principal {
    Principal(userID: id, userTitle: "Title \(id)", role: .device, kind: .device, groups: groups)
  }
}

extension SessionRequest {
  static func call(_ receiverID: String, isAudio: Bool = true, isVideo: Bool = true) -> SessionRequest {
    SessionRequest(receiverID: receiverID, isAudio: isAudio, isVideo: isVideo, offer: "offer")
  }
}

extension PresenceUpdate {
  static func available(
    at location: UserLocation? = nil, stream: String? = nil, sessions: [SessionID]? = nil
  ) -> PresenceUpdate {
    PresenceUpdate(
      userLocation: location, kind: .device, isAudio: true, isVideo: true, eventStreamID: stream, sessions: sessions)
  }
}

/// What parties say of a session.
extension HubState {
  mutating func ring(_ id: SessionID, by userID: String, now: Instant) throws(HubRefusal) {
    try receive(.ringing, in: id, from: .person(userID), now: now)
  }

  mutating func answer(_ id: SessionID, by userID: String, sdp: String, now: Instant) throws(HubRefusal) {
    try answer(id, by: userID, SessionDescription(sdp: sdp), now: now)
  }

  mutating func answer(
    _ id: SessionID, by userID: String, _ answer: SessionDescription, now: Instant
  ) throws(HubRefusal) {
    try receive(.answer(answer), in: id, from: .person(userID), now: now)
  }

  mutating func reject(_ id: SessionID, by userID: String, reason: String, now: Instant) throws(HubRefusal) {
    try receive(.reject(SessionEnding(reason: reason)), in: id, from: .person(userID), now: now)
  }

  mutating func offer(_ id: SessionID, by userID: String, sdp: String, now: Instant) throws(HubRefusal) {
    try receive(.offer(SessionDescription(sdp: sdp)), in: id, from: .person(userID), now: now)
  }

  mutating func addCandidates(
    _ id: SessionID, by userID: String, _ candidates: SessionCandidates, now: Instant
  ) throws(HubRefusal) {
    try receive(.candidates(candidates), in: id, from: .person(userID), now: now)
  }

  mutating func signal(
    _ id: SessionID, by userID: String, _ signal: SessionSignal, now: Instant
  ) throws(HubRefusal) {
    try receive(.signal(signal), in: id, from: .person(userID), now: now)
  }

  mutating func control(
    _ id: SessionID, by userID: String, _ control: SessionControl, now: Instant
  ) throws(HubRefusal) {
    try receive(.control(control), in: id, from: .person(userID), now: now)
  }

  mutating func controlResult(
    _ id: SessionID, by userID: String, _ result: SessionControlResult, now: Instant
  ) throws(HubRefusal) {
    try receive(.controlResult(result), in: id, from: .person(userID), now: now)
  }

  mutating func announceArchive(
    _ archive: ArchiveAnnouncement, by principal: Principal, now: Instant
  ) throws(HubRefusal) {
    try receive(.archive(archive), in: archive.sessionID, from: principal, now: now)
  }

  mutating func hangUp(_ id: SessionID, by userID: String, reason: String, now: Instant) throws(HubRefusal) {
    try receive(.end(SessionEnding(reason: reason)), in: id, from: .person(userID), now: now)
  }
}

/// A hub in virtual time, with one event stream a user, named `stream-` and the user's id.
struct VirtualHub {
  var state: HubState
  private(set) var now = Instant.now
  private var cursors: [String: UInt64] = [:]

  init(limits: HubLimits = HubLimits()) {
    state = HubState(epoch: "e", limits: limits)
  }

  /// Lets time pass between two ticks.
  mutating func wait(_ duration: Duration) { now += duration }

  /// Lets time pass in steps of a second, as the hub's clock does.
  mutating func advance(seconds: Int) {
    for _ in 0..<seconds {
      now += .seconds(1)
      state.tick(now: now)
    }
  }

  mutating func connect(_ principal: Principal) throws {
    let opening = try state.openStream("stream-\(principal.userID)", for: principal, lastEventID: nil, now: now)
    cursors[principal.userID] = opening.cursor
  }

  mutating func disconnect(_ principal: Principal) {
    state.closeStream("stream-\(principal.userID)", of: principal.userID, now: now)
  }

  mutating func goOnline(_ principal: Principal, at location: UserLocation? = nil) throws {
    try connect(principal)
    try heartbeat(principal, at: location)
  }

  mutating func heartbeat(
    _ principal: Principal, at location: UserLocation? = nil, sessions: [SessionID]? = nil
  ) throws {
    let update = PresenceUpdate.available(at: location, stream: "stream-\(principal.userID)", sessions: sessions)
    try state.updatePresence(of: principal, update, now: now)
  }

  mutating func setStatus(_ status: PresenceStatus, of principal: Principal) throws {
    var update = PresenceUpdate.available(stream: "stream-\(principal.userID)")
    update.status = status
    try state.updatePresence(of: principal, update, now: now)
  }

  /// Places a call as the HTTP layer does: prepared, then committed.
  mutating func call(
    _ id: SessionID, from caller: Principal, _ request: SessionRequest, endsAfter length: Duration? = nil
  ) throws {
    let context = try state.prepareCall(id, from: caller, request, now: now)
    let placement = CallPlacement(
      sessionID: id, caller: caller, request: request, context: context,
      tokens: PartyTokens(caller: "caller-token", receiver: "receiver-token"), receiverICEServers: [],
      endsAt: length.map { now + $0 })
    try state.placeCall(placement, now: now)
  }

  /// The events that came for a user since the last call.
  mutating func events(of principal: Principal) -> [LoggedEvent] {
    guard let read = state.readStream(of: principal.userID, after: cursors[principal.userID] ?? 0) else { return [] }
    cursors[principal.userID] = read.cursor
    return read.events
  }

  mutating func eventNames(of principal: Principal) -> [EventName] { events(of: principal).map(\.name) }
}
