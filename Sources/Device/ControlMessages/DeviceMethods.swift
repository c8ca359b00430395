public import MediaPlaneAPI
public import Signalling

public struct NoParameters: VarlinkParameters {
  public init() {}
}

public struct StatusReply: Codable, Sendable {
  public var status: DeviceStatus
  public init(status: DeviceStatus) { self.status = status }
}

public struct UsersReply: Codable, Sendable {
  public var users: [OnlineUser]
  public init(users: [OnlineUser]) { self.users = users }
}

/// Titles for which the hub is asked, at most 32.
public struct ResolveTitlesParameters: VarlinkParameters {
  public var titles: [String]
  public init(titles: [String]) { self.titles = titles }
}

public struct ResolveTitlesReply: Codable, Sendable {
  /// Of the titles that accounts have.
  public var accounts: [TitledAccount]
  public init(accounts: [TitledAccount]) { self.accounts = accounts }
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

/// A reply to `Call`: the first has no event, those that follow have one each.
public struct CallReply: Codable, Sendable {
  public var sessionID: String
  public var event: DeviceEvent?

  public init(sessionID: String, event: DeviceEvent? = nil) {
    self.sessionID = sessionID
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

public struct ChooseCameraParameters: VarlinkParameters {
  public var sessionID: String
  /// The name of a further camera, or the main one's.
  public var camera: String

  public init(sessionID: String, camera: String) {
    self.sessionID = sessionID
    self.camera = camera
  }
}

public struct MuteParameters: VarlinkParameters {
  public var target: MuteTarget
  public var isMuted: Bool

  public init(target: MuteTarget, isMuted: Bool) {
    self.target = target
    self.isMuted = isMuted
  }
}

/// A file to play, or a text to speak.
public struct SayParameters: VarlinkParameters {
  /// Absolute.
  public var path: String?
  public var text: String?
  /// Who speaks the text; `en` without it.
  public var voice: String?

  public init(path: String? = nil, text: String? = nil, voice: String? = nil) {
    self.path = path
    self.text = text
    self.voice = voice
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

public struct ArchiveStartParameters: VarlinkParameters {
  public var sessionID: String?
  public init(sessionID: String? = nil) { self.sessionID = sessionID }
}

public struct ArchiveIDsReply: Codable, Sendable {
  public var archiveIDs: [String]
  public init(archiveIDs: [String]) { self.archiveIDs = archiveIDs }
}

/// The input of `ArchiveStop` and `ArchiveVerify`.
public struct ArchiveParameters: VarlinkParameters {
  public var archiveID: String?
  public init(archiveID: String? = nil) { self.archiveID = archiveID }
}

public struct ArchiveListParameters: VarlinkParameters {
  public var limit: Int?
  public init(limit: Int? = nil) { self.limit = limit }
}

public struct ArchiveListReply: Codable, Sendable {
  public var archives: [ArchiveSummary]
  /// How many there are, listed or not; absent from daemons that do not say so.
  public var total: Int?

  public init(archives: [ArchiveSummary], total: Int? = nil) {
    self.archives = archives
    self.total = total
  }
}

public struct ArchiveVerifyReply: Codable, Sendable {
  public var reports: [ArchiveReport]
  public init(reports: [ArchiveReport]) { self.reports = reports }
}

public struct MonitorReply: Codable, Sendable {
  public var event: DeviceEvent
  public init(event: DeviceEvent) { self.event = event }
}
