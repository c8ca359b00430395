/// What a guest may send and receive in a call.
public enum GuestMedia: String, Codable, Sendable, CaseIterable {
  /// Sound and images both ways.
  case video
  /// Sound alone.
  case audio
  /// Receives sound and images, sends neither.
  case watch
}

/// What has become of an invitation.
public enum InvitationState: String, Codable, Sendable, CaseIterable {
  /// It can be used, and has not been yet.
  case open
  /// A browser has it.
  case used
  /// Its time has not come.
  case early
  case expired
  case revoked
}

/// `POST /v1/invitations`: one of `deviceID` and `group`.
public struct InvitationRequest: Codable, Sendable {
  /// What the device sees as the guest's title.
  public var name: String
  public var deviceID: String?
  public var group: String?
  public var media: GuestMedia
  /// Milliseconds since 1970; absent: now.
  public var from: Int64?
  /// Milliseconds since 1970.
  public var until: Int64

  public init(
    name: String, deviceID: String?, group: String?, media: GuestMedia, from: Int64?, until: Int64
  ) {
    (self.name, self.deviceID, self.group, self.media) = (name, deviceID, group, media)
    (self.from, self.until) = (from, until)
  }
}

/// The answer to it: the only time that the code is shown.
public struct InvitationGrant: Codable, Sendable {
  public var id: String
  /// Secret: anyone who has it first is the guest. It belongs behind the `#` of a link, which no server sees.
  public var code: String

  public init(id: String, code: String) { (self.id, self.code) = (id, code) }
}

/// One entry of `GET /v1/invitations`.
public struct InvitationEntry: Codable, Sendable {
  public var id: String
  public var name: String
  public var deviceID: String?
  public var deviceTitle: String?
  public var group: String?
  public var media: GuestMedia
  public var from: Int64
  public var until: Int64
  public var createdAt: Int64
  /// The title of who made it.
  public var madeBy: String
  public var state: InvitationState
  /// When, from where and by which program it was used first.
  public var usedAt: Int64?
  public var address: String?
  public var client: String?
  /// True of a link to view; absent of others.
  public var isLink: Bool?

  public init(
    id: String, name: String, deviceID: String?, deviceTitle: String?, group: String?, media: GuestMedia, from: Int64,
    until: Int64, createdAt: Int64, madeBy: String, state: InvitationState, usedAt: Int64?, address: String?,
    client: String?, isLink: Bool? = nil
  ) {
    self.isLink = isLink
    (self.id, self.name, self.deviceID, self.deviceTitle, self.group) = (id, name, deviceID, deviceTitle, group)
    (self.media, self.from, self.until, self.createdAt) = (media, from, until, createdAt)
    (self.madeBy, self.state, self.usedAt, self.address, self.client) = (madeBy, state, usedAt, address, client)
  }
}

/// `GET /v1/invitations`, the newest first.
public struct InvitationList: Codable, Sendable {
  public var items: [InvitationEntry]

  public init(items: [InvitationEntry]) { self.items = items }
}

/// `POST /v1/invitations/check`.
public struct InvitationCheck: Codable, Sendable {
  public var code: String

  public init(code: String) { self.code = code }
}

/// What a code is good for, for who has it.
public struct InvitationView: Codable, Sendable {
  public var name: String
  /// The title of the device that may be called; absent for a group.
  public var deviceTitle: String?
  /// The group whose devices may be called; absent for a device.
  public var group: String?
  public var media: GuestMedia
  public var from: Int64
  public var until: Int64
  /// By the hub's clock, in milliseconds since 1970.
  public var now: Int64
  public var state: InvitationState
  /// For ``InvitationRedemption/proof``; good for two minutes.
  public var challenge: String

  public init(
    name: String, deviceTitle: String?, group: String?, media: GuestMedia, from: Int64, until: Int64, now: Int64,
    state: InvitationState, challenge: String
  ) {
    (self.name, self.deviceTitle, self.group) = (name, deviceTitle, group)
    (self.media, self.from, self.until) = (media, from, until)
    (self.now, self.state, self.challenge) = (now, state, challenge)
  }
}

/// `POST /v1/invitations/redeem`: first with `key`, later with `challenge` and `proof`.
public struct InvitationRedemption: Codable, Sendable {
  public var code: String
  /// 32 random octets in base64url by which the browser is known from then on.
  public var key: String?
  public var challenge: String?
  /// HMAC-SHA256 of the challenge by the key, in base64url.
  public var proof: String?

  public init(code: String, key: String? = nil, challenge: String? = nil, proof: String? = nil) {
    (self.code, self.key, self.challenge, self.proof) = (code, key, challenge, proof)
  }
}

/// `GET /v1/invitation`: what a guest may call just now.
public struct GuestOverview: Codable, Sendable {
  public var name: String
  public var media: GuestMedia
  public var until: Int64
  public var devices: [GuestDevice]

  public init(name: String, media: GuestMedia, until: Int64, devices: [GuestDevice]) {
    (self.name, self.media, self.until, self.devices) = (name, media, until, devices)
  }
}

/// A device that a guest may call.
public struct GuestDevice: Codable, Sendable {
  public var userID: String
  public var userTitle: String
  public var isOnline: Bool

  public init(userID: String, userTitle: String, isOnline: Bool) {
    (self.userID, self.userTitle, self.isOnline) = (userID, userTitle, isOnline)
  }
}
