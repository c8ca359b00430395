public import HubCore
public import Signalling

/// An invitation as stored: not its code, but the code's hash.
public struct InvitationRecord: Sendable, Equatable, Codable {
  /// Who made it.
  public struct Maker: Sendable, Equatable, Codable {
    /// Nil for who runs commands on the server.
    public var userID: String?
    public var title: String

    public init(userID: String?, title: String) { (self.userID, self.title) = (userID, title) }
  }

  /// The browser that has it.
  public struct Use: Sendable, Equatable, Codable {
    /// Milliseconds since 1970.
    public var at: Int64
    /// 32 octets in base64url, secret, by which the browser is known.
    public var key: String
    public var origin: LoginRecord.Origin

    public init(at: Int64, key: String, origin: LoginRecord.Origin) {
      (self.at, self.key, self.origin) = (at, key, origin)
    }
  }

  /// What it is good for.
  public enum Purpose: String, Sendable, Codable {
    /// A guest's calls.
    case call
    /// Views by whoever has the link: no browser gets it, and its code is known to no one.
    case view
  }

  public var id: String
  /// In ``InvitationCode``'s hashed form.
  public var code: String
  public var name: String
  public var target: GuestTarget
  /// The device's title when it was made, or the group's name.
  public var targetTitle: String
  /// Of the device when it was made, or the group: operators of one of them see it.
  public var groups: [String]
  public var media: GuestMedia
  /// Milliseconds since 1970.
  public var from: Int64
  public var until: Int64
  public var createdAt: Int64
  public var maker: Maker
  /// Nil in records of earlier versions, all of which are for calls.
  public private(set) var purpose: Purpose?
  public var use: Use?
  /// Milliseconds since 1970.
  public var revokedAt: Int64?

  public init(
    id: String, code: String, name: String, target: GuestTarget, targetTitle: String, groups: [String],
    media: GuestMedia, from: Int64, until: Int64, createdAt: Int64, maker: Maker, purpose: Purpose = .call
  ) {
    self.purpose = purpose
    (self.id, self.code, self.name, self.target, self.targetTitle) = (id, code, name, target, targetTitle)
    (self.groups, self.media, self.from, self.until) = (groups, media, from, until)
    (self.createdAt, self.maker) = (createdAt, maker)
  }
}

extension InvitationRecord {
  /// What ids of guests begin with; the id of the guest's only login is the same.
  public static let guestPrefix = "guest-"

  public var isForViews: Bool { purpose == .view }

  /// The user id of the guest, or of the viewer.
  public var guestID: String { (isForViews ? ViewerScope.prefix : Self.guestPrefix) + id }

  /// Whether the id is one of a guest or of a viewer, whose calls end when its only login does.
  public static func isGuest(_ userID: String) -> Bool {
    userID.hasPrefix(guestPrefix) || userID.hasPrefix(ViewerScope.prefix)
  }

  public func state(at now: Int64) -> InvitationState {
    if revokedAt != nil { return .revoked }
    if now >= until { return .expired }
    if now < from { return .early }
    return use == nil && !isForViews ? .open : .used
  }

  /// When it was of no more use, in milliseconds since 1970.
  public var endsAt: Int64 { revokedAt ?? until }

  public var principal: Principal {
    Principal(
      userID: guestID, userTitle: name, role: isForViews ? .viewer : .guest, kind: .person, groups: [],
      guest: GuestScope(target: target, media: media), viewer: isForViews ? .link(id) : nil)
  }

  public func entry(at now: Int64) -> InvitationEntry {
    var (deviceID, group): (String?, String?)
    switch target {
    case .device(let id): deviceID = id
    case .group(let name): group = name
    }
    return InvitationEntry(
      id: id, name: name, deviceID: deviceID, deviceTitle: deviceID == nil ? nil : targetTitle, group: group,
      media: media, from: from, until: until, createdAt: createdAt, madeBy: maker.title, state: state(at: now),
      usedAt: use?.at, address: use?.origin.address, client: use?.origin.client, isLink: isForViews ? true : nil)
  }

  /// For the audit log.
  public var auditSubject: AuditSubject { AuditSubject(.invitation, id: id, title: name) }
}
