/// What an entry of the hub's audit log is about. A newer hub may have written entries of further kinds.
public enum AuditKind: String, Codable, Sendable, CaseIterable {
  /// A person logged in; logins of devices are not logged.
  case login
  case loginFailed = "login-failed"
  /// Someone else, or the person at another place, ended logins.
  case loginEnded = "login-ended"
  case accountCreated = "account-created"
  /// Another title, role or other groups.
  case accountChanged = "account-changed"
  case accountLocked = "account-locked"
  case accountUnlocked = "account-unlocked"
  case accountRemoved = "account-removed"
  case passwordChanged = "password-changed"
  case deviceEnrolled = "device-enrolled"
  case deviceRevoked = "device-revoked"
  case keyReplaced = "key-replaced"
  case invitationMade = "invitation-made"
  case invitationUsed = "invitation-used"
  case invitationRefused = "invitation-refused"
  case invitationRevoked = "invitation-revoked"
  /// A device answered a viewer; the subject is the device.
  case viewBegun = "view-begun"
  case viewRefused = "view-refused"
  case archiveDeleted = "archive-deleted"
  case archiveLocked = "archive-locked"
  case archiveUnlocked = "archive-unlocked"
  case archiveRenamed = "archive-renamed"
  /// An operator ended others' call; the subject is who was called.
  case callEnded = "call-ended"
  /// A command of `livesessions-hub` that concerns all accounts, such as a backup.
  case command
  /// Entries could not be written; their number is the entry's count.
  case entriesLost = "entries-lost"
  /// The store has an entry that this version cannot read, such as one of a newer hub.
  case entryUnreadable = "entry-unreadable"
}

/// Who did it, as known then.
public struct AuditActor: Codable, Sendable, Hashable {
  public enum Kind: String, Codable, Sendable, CaseIterable {
    case account
    case guest
    /// Who ran a command of `livesessions-hub` on the server; the title is the name of the system's user.
    case localAdministrator = "local-administrator"
    /// Who did not prove who they are; the title is what they said.
    case unknown
    case hub
  }

  public var kind: Kind
  public var id: String?
  public var title: String?
  /// Where from; of an IPv6 address the network.
  public var address: String?
  /// The login by which it was done.
  public var loginID: String?

  public init(
    _ kind: Kind, id: String? = nil, title: String? = nil, address: String? = nil, loginID: String? = nil
  ) {
    self.kind = kind
    self.id = id
    self.title = title.map(AuditEntry.bounded)
    self.address = address.map(AuditEntry.bounded)
    self.loginID = loginID
  }
}

/// What it was done to, as known then.
public struct AuditSubject: Codable, Sendable, Hashable {
  public enum Kind: String, Codable, Sendable, CaseIterable {
    case person
    case device
    case group
    case invitation
    case login
    case archive
  }

  public var kind: Kind
  public var id: String
  public var title: String?

  public init(_ kind: Kind, id: String, title: String? = nil) {
    self.kind = kind
    self.id = AuditEntry.bounded(id)
    self.title = title.map(AuditEntry.bounded)
  }
}

/// A further fact of an entry: what was changed, or a value that belongs to it.
public struct AuditChange: Codable, Sendable, Hashable {
  public enum Field: String, Codable, Sendable, CaseIterable {
    case title, role, groups, device, group, media, from, until, client, caller, camera, archive, command, reason
  }

  public var field: Field
  /// Absent where there was none.
  public var before: String?
  /// Absent where there is none any more.
  public var after: String?

  public init(_ field: Field, from before: String? = nil, to after: String?) {
    self.field = field
    self.before = before.map(AuditEntry.bounded)
    self.after = after.map(AuditEntry.bounded)
  }
}

public enum AuditOutcome: String, Codable, Sendable, CaseIterable {
  case done
  /// Not allowed, or not with this credential.
  case refused
  case failed
}

/// One entry of `GET /v1/audit`. Each text is a value of its own, so a title cannot pass for another entry; programs that
/// show one escape control characters.
public struct AuditEntry: Codable, Sendable, Equatable {
  /// For `before`; later entries have greater ones.
  public var id: String
  /// Milliseconds since 1970.
  public var at: Int64
  /// One of ``AuditKind``, or a later one.
  public var kind: String
  public var actor: AuditActor
  public var subject: AuditSubject?
  public var outcome: AuditOutcome
  public var changes: [AuditChange]
  /// How often it happened: more than 1 where repetitions are summarised.
  public var count: Int
  /// When it happened last, in milliseconds since 1970; in summaries alone.
  public var lastAt: Int64?

  public init(
    id: String = "", at: Int64, kind: String, actor: AuditActor, subject: AuditSubject?, outcome: AuditOutcome,
    changes: [AuditChange], count: Int = 1, lastAt: Int64? = nil
  ) {
    (self.id, self.at, self.kind, self.actor, self.subject) = (id, at, kind, actor, subject)
    (self.outcome, self.changes, self.count, self.lastAt) = (outcome, changes, count, lastAt)
  }

  private static let maximumBytes = 256

  /// Cuts off what is too long.
  static func bounded(_ text: String) -> String {
    text.utf8.count <= maximumBytes ? text : String(decoding: text.utf8.prefix(maximumBytes), as: UTF8.self)
  }
}

/// `GET /v1/audit`: the newest entries first.
public struct AuditPage: Codable, Sendable {
  public var items: [AuditEntry]
  /// The `before` that continues; absent where there is no more. A page may have fewer items than asked for, or none,
  /// and yet be continued.
  public var next: String?

  public init(items: [AuditEntry], next: String?) {
    self.items = items
    self.next = next
  }
}
