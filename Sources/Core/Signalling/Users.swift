/// `POST /v1/login`. One of `password` and `enrolmentKey`, or neither for an anonymous login.
public struct LoginRequest: Codable, Sendable {
  /// Who logs in; with an enrolment key, which says that by itself, a mere wish.
  public var userTitle: String
  public var password: String?
  public var enrolmentKey: String?
  /// What an earlier login under this title was answered with: others who guess at its password are no obstacle then.
  public var clientToken: String?

  public init(
    userTitle: String, password: String? = nil, enrolmentKey: String? = nil, clientToken: String? = nil
  ) {
    self.userTitle = userTitle
    self.password = password
    self.enrolmentKey = enrolmentKey
    self.clientToken = clientToken
  }
}

/// The answer to a login, and to `POST /v1/token`, which renews one.
public struct LoginResponse: Codable, Sendable {
  public var userID: String
  public var accessToken: String
  /// Milliseconds since 1970.
  public var expiresAt: Int64
  /// `operator`, `user` or `device`.
  public var role: String
  /// The title under which others see the user: the account's.
  public var userTitle: String?
  /// Seconds from now to ``expiresAt``, for clients whose clock differs.
  public var expiresIn: Int64?
  /// For the next login's ``LoginRequest/clientToken``; comes with a login by password.
  public var clientToken: String?

  public init(
    userID: String, accessToken: String, expiresAt: Int64, role: String, userTitle: String? = nil,
    expiresIn: Int64? = nil, clientToken: String? = nil
  ) {
    self.userID = userID
    self.accessToken = accessToken
    self.expiresAt = expiresAt
    self.role = role
    self.userTitle = userTitle
    self.expiresIn = expiresIn
    self.clientToken = clientToken
  }
}

/// A WGS 84 position in degrees.
public struct UserLocation: Codable, Sendable, Hashable {
  public var latitude: Double
  public var longitude: Double
  /// Metres, when known.
  public var horizontalAccuracy: Double?

  public init(latitude: Double, longitude: Double, horizontalAccuracy: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.horizontalAccuracy = horizontalAccuracy
  }
}

/// What a user is, for those who search for one.
public enum UserKind: String, Codable, Sendable, CaseIterable {
  case device
  case person
}

/// What a device permits any user, as policy and configuration have it; whom and when, only the device decides.
public enum DevicePermission: String, Sendable, CaseIterable {
  /// A call with it may be answered.
  case call
  /// Sound passes, one way at least.
  case audio
  /// Its video is sent.
  case watch
  case snapshot
  case events
  case recordings
  /// A manual recording may be started.
  case record
  /// Recordings may be locked, renamed and deleted.
  case manage

  /// Words of a list that may grow.
  public static let maximumCount = 32
}

/// Whether a user accepts calls.
public enum PresenceStatus: String, Codable, Sendable, CaseIterable {
  case available
  case busy
  case doNotDisturb = "do-not-disturb"
}

/// `PUT /v1/presence`: announces or updates presence, or repeats what the client holds (a heartbeat, as often as
/// ``HelloEvent/heartbeatInterval`` says); 120 a minute at most, else 429.
public struct PresenceUpdate: Codable, Sendable {
  public var userTitle: String?
  /// What becomes of the position that is shown.
  public var location: LocationUpdate
  /// Seconds since the sender's receiver was at the position that is shown, if it has one; each heartbeat updates it.
  public var positionAge: Int?
  public var status: PresenceStatus
  public var kind: UserKind
  public var isAudio: Bool
  public var isVideo: Bool
  /// The event stream that this user can be called on, as its `hello` event named it.
  public var eventStreamID: String?
  /// The sessions that the sender still holds; the hub forgets its others.
  public var sessions: [SessionID]?
  /// ``DevicePermission``s of a device, or later words; absent: anything may be.
  public var permits: [String]?
  /// Of a device, with its account's heartbeats; absent where nothing has changed that the hub should know at once.
  public var report: DeviceReport?

  public init(
    userTitle: String? = nil, userLocation: UserLocation? = nil, status: PresenceStatus = .available, kind: UserKind,
    isAudio: Bool, isVideo: Bool, eventStreamID: String? = nil, sessions: [SessionID]? = nil
  ) {
    self.userTitle = userTitle
    location = userLocation.map { .at($0) } ?? .unchanged
    self.status = status
    self.kind = kind
    self.isAudio = isAudio
    self.isVideo = isVideo
    self.eventStreamID = eventStreamID
    self.sessions = sessions
  }

  /// The position that is announced, if any.
  public var userLocation: UserLocation? {
    if case .at(let location) = location { location } else { nil }
  }

  enum CodingKeys: String, CodingKey {
    case userTitle
    case location = "userLocation"
    case positionAge
    case status, kind, isAudio, isVideo, eventStreamID, sessions, permits, report
  }
}

/// One entry of `GET /v1/users`.
public struct NearbyUser: Codable, Sendable {
  public var userID: String
  public var userTitle: String
  public var userLocation: UserLocation?
  /// Seconds since the user was there, where reported.
  public var positionAge: Int?
  /// Metres from the asker's position, when both are known.
  public var distance: Double?
  public var status: PresenceStatus
  public var kind: UserKind
  public var isAudio: Bool
  public var isVideo: Bool
  /// See ``PresenceUpdate/permits``.
  public var permits: [String]?

  public init(
    userID: String, userTitle: String, userLocation: UserLocation?, distance: Double?, status: PresenceStatus,
    kind: UserKind, isAudio: Bool, isVideo: Bool
  ) {
    self.userID = userID
    self.userTitle = userTitle
    self.userLocation = userLocation
    self.distance = distance
    self.status = status
    self.kind = kind
    self.isAudio = isAudio
    self.isVideo = isVideo
  }
}

/// `GET /v1/users`, nearest first.
public struct NearbyUsers: Codable, Sendable {
  public var count: Int
  public var items: [NearbyUser]

  public init(items: [NearbyUser]) {
    self.count = items.count
    self.items = items
  }
}

/// An RFC 9457 problem document.
public struct Problem: Codable, Sendable, Error {
  /// A short stable name, for example `receiver-offline`.
  public var type: String
  public var title: String
  public var status: Int
  public var detail: String?

  public init(type: String, title: String, status: Int, detail: String? = nil) {
    self.type = type
    self.title = title
    self.status = status
    self.detail = detail
  }
}
