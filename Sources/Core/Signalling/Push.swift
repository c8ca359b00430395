/// `GET /v1/push`: what a page needs to subscribe, and where its user is rung.
public struct PushOverview: Codable, Sendable {
  /// The hub's public key (RFC 8292), 65 octets in base64url: what `PushManager.subscribe()` takes.
  public var applicationServerKey: String
  public var subscriptions: [PushSubscriptionEntry]

  public init(applicationServerKey: String, subscriptions: [PushSubscriptionEntry]) {
    self.applicationServerKey = applicationServerKey
    self.subscriptions = subscriptions
  }
}

/// A browser that is rung.
public struct PushSubscriptionEntry: Codable, Sendable, Equatable {
  /// For `DELETE /v1/push/subscriptions/{id}`.
  public var id: String
  /// Milliseconds since 1970.
  public var createdAt: Int64
  /// What the program there called itself (`User-Agent`).
  public var client: String
  /// Whether the asker's own login made it.
  public var isCurrentLogin: Bool

  public init(id: String, createdAt: Int64, client: String, isCurrentLogin: Bool) {
    self.id = id
    self.createdAt = createdAt
    self.client = client
    self.isCurrentLogin = isCurrentLogin
  }
}

/// `POST /v1/push/subscriptions`: what `PushSubscription.toJSON()` gives, with the page's language.
public struct PushSubscriptionRequest: Codable, Sendable {
  /// The browser's keys in base64url (RFC 8291).
  public struct BrowserKeys: Codable, Sendable {
    /// An uncompressed point on P-256.
    public var p256dh: String
    /// 16 octets.
    public var auth: String

    public init(p256dh: String, auth: String) {
      self.p256dh = p256dh
      self.auth = auth
    }
  }

  public var endpoint: String
  public var keys: BrowserKeys
  /// A language tag (RFC 5646).
  public var language: String?

  public init(endpoint: String, keys: BrowserKeys, language: String? = nil) {
    self.endpoint = endpoint
    self.keys = keys
    self.language = language
  }
}

/// The answer to a new subscription.
public struct PushSubscriptionGrant: Codable, Sendable {
  public var id: String

  public init(id: String) { self.id = id }
}

/// What a push message says, as JSON.
public struct PushMessage: Codable, Sendable, Equatable {
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// A call comes in.
    case callIncoming = "call.incoming"
    /// The call need not be shown as one that rings any longer.
    case callEnded = "call.ended"
  }

  /// What became of a call.
  public enum Outcome: String, Codable, Sendable, CaseIterable {
    /// No one answered it.
    case missed
    /// The user has, at another place.
    case answered
    /// It was turned away at another place, or a call in the opposite direction continues.
    case ended
  }

  public var kind: Kind
  public var sessionID: SessionID
  public var callerID: String
  public var callerTitle: String
  /// Of ``Kind/callIncoming``.
  public var isVideo: Bool?
  /// Of ``Kind/callIncoming``: until when it rings, in milliseconds since 1970.
  public var expiresAt: Int64?
  /// Of ``Kind/callEnded``.
  public var outcome: Outcome?

  public init(
    kind: Kind, sessionID: SessionID, callerID: String, callerTitle: String, isVideo: Bool? = nil,
    expiresAt: Int64? = nil, outcome: Outcome? = nil
  ) {
    self.kind = kind
    self.sessionID = sessionID
    self.callerID = callerID
    self.callerTitle = callerTitle
    self.isVideo = isVideo
    self.expiresAt = expiresAt
    self.outcome = outcome
  }
}
