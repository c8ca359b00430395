/// What the methods about calls have the daemon do.
public protocol CallMethods: Sendable {
  /// Calls a user who is online, by id or title, and returns the session's id at once; events report the rest.
  func call(user: String, media: ControlCallMedia?) async throws -> String
  /// Calls several until one answers; returns the hunt's name at once.
  func hunt(_ parameters: HuntParameters) async throws -> String
  /// Answers a call that rings.
  func answer(sessionID: String) async throws
  /// Rejects a call that rings; `reason` is one that the hub knows, `declined` if nil.
  func reject(sessionID: String, reason: String?) async throws
  func hangUp(sessionID: String) async throws
  /// Sends a chat line to the other party.
  func sendChat(sessionID: String, text: String) async throws
}

extension MethodTable {
  static let calls: [InterfaceMethod] = [
    InterfaceMethod(
      .call, .full,
      """
      Calls the user of that id, or the only one of that title who is online; with what the device has, unless media says
      otherwise. The first reply comes at once. With "more", each of the call's events follows as a further reply, until
      call.ended or call.rejected.
      """
    ) { call, control in
      let parameters = try call.parameters(CallParameters.self)
      guard !call.wantsMore || call.isOneway else { return .follow(parameters) }
      let sessionID = try await control.call(user: parameters.user, media: parameters.media)
      return .reply(try VarlinkReply.encode(CallReply(sessionID: sessionID)))
    },
    InterfaceMethod(
      .hunt, .full,
      """
      Calls 1 to 16 users until one answers; who is busy, rejects or is offline is passed over at once. An id or a title
      as with Call, or user:ID, who need not be online. It rings ringFor seconds at each (20; 1 to 60). One of these hunts
      runs at a time; hanging up one of its calls ends it. With "more", its events follow until hunt.ended.
      """
    ) { call, control in
      let parameters = try call.parameters(HuntParameters.self)
      guard !call.wantsMore || call.isOneway else { return .followHunt(parameters) }
      return .reply(try VarlinkReply.encode(HuntReply(hunt: try await control.hunt(parameters))))
    },
    InterfaceMethod(.answer, "Answers a call that rings.") { try await $0.answer(sessionID: $1.sessionID) },
    InterfaceMethod(
      .reject,
      "Rejects a call that rings. The reason is declined (the default), busy, not-allowed, outside-hours or rate-limited."
    ) { try await $0.reject(sessionID: $1.sessionID, reason: $1.reason) },
    InterfaceMethod(.hangUp) { try await $0.hangUp(sessionID: $1.sessionID) },
    InterfaceMethod(.chat, "Sends a line of text, of at most 8192 bytes, to the other party.") { control, parameters in
      guard parameters.text.utf8.count <= 8_192 else { throw VarlinkError.invalidParameter("text") }
      try await control.sendChat(sessionID: parameters.sessionID, text: parameters.text)
    },
  ]
}

extension DeviceMethod<CallParameters, CallReply> {
  public static var call: Self { Self("Call") }
}

extension DeviceMethod<HuntParameters, HuntReply> {
  public static var hunt: Self { Self("Hunt") }
}

extension DeviceMethod<SessionParameters, NoParameters> {
  public static var answer: Self { Self("Answer") }
}

extension DeviceMethod<RejectParameters, NoParameters> {
  public static var reject: Self { Self("Reject") }
}

extension DeviceMethod<SessionParameters, NoParameters> {
  public static var hangUp: Self { Self("HangUp") }
}

extension DeviceMethod<ChatParameters, NoParameters> {
  public static var chat: Self { Self("Chat") }
}

/// What a call carries.
public enum ControlCallMedia: String, Codable, Sendable, Hashable, CaseIterable {
  case audio
  case video
  case both
}

public struct CallParameters: VarlinkParameters {
  /// An id or a title.
  public var user: String
  public var media: ControlCallMedia?

  public init(user: String, media: ControlCallMedia? = nil) {
    self.user = user
    self.media = media
  }
}

/// A reply to `Call`: the first has no event, those that follow have one each.
public struct CallReply: Codable, Sendable {
  public var sessionID: String
  public var event: DeviceEvent?

  public init(sessionID: String, event: DeviceEvent? = nil) {
    self.sessionID = sessionID
    self.event = event
  }
}

/// How several are called.
public enum ControlHuntOrder: String, Codable, Sendable, Hashable, CaseIterable {
  case inTurn = "in_turn"
  case allAtOnce = "all_at_once"
}

public struct HuntParameters: VarlinkParameters {
  /// Ids or titles, in the order in which they are called; `user:ID` is always an id, also of one who is offline.
  public var users: [String]
  public var order: ControlHuntOrder?
  /// Seconds at each, 1 to 60; 20 if absent.
  public var ringFor: Int?
  public var media: ControlCallMedia?

  public init(
    users: [String], order: ControlHuntOrder? = nil, ringFor: Int? = nil, media: ControlCallMedia? = nil
  ) {
    self.users = users
    self.order = order
    self.ringFor = ringFor
    self.media = media
  }
}

/// A reply to `Hunt`: the first has no event, those that follow have one each.
public struct HuntReply: Codable, Sendable {
  public var hunt: String
  public var event: DeviceEvent?

  public init(hunt: String, event: DeviceEvent? = nil) {
    self.hunt = hunt
    self.event = event
  }
}

/// The input of `Answer` and `HangUp`.
public struct SessionParameters: VarlinkParameters {
  public var sessionID: String
  public init(sessionID: String) { self.sessionID = sessionID }
}

public struct RejectParameters: VarlinkParameters {
  public var sessionID: String
  public var reason: String?

  public init(sessionID: String, reason: String? = nil) {
    self.sessionID = sessionID
    self.reason = reason
  }
}

public struct ChatParameters: VarlinkParameters {
  public var sessionID: String
  /// At most 8 KiB, as the hub relays it.
  public var text: String

  public init(sessionID: String, text: String) {
    self.sessionID = sessionID
    self.text = text
  }
}
