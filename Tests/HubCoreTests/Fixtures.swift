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

extension HubState {
  mutating func answer(
    _ sessionID: SessionID, by userID: String, sdp: String, now: Instant
  ) throws(HubRefusal) {
    try answer(sessionID, by: userID, SessionDescription(sdp: sdp), now: now)
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
  mutating func call(_ id: SessionID, from caller: Principal, _ request: SessionRequest) throws {
    let context = try state.prepareCall(id, from: caller, request, now: now)
    let placement = CallPlacement(
      sessionID: id, caller: caller, request: request, context: context,
      tokens: PartyTokens(caller: "caller-token", receiver: "receiver-token"), receiverICEServers: [])
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
