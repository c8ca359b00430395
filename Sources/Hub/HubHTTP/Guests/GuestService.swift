internal import HubCore
internal import HubStore
internal import Signalling
internal import SystemSupport

/// Guests: who has an invitation in place of an account.
///
/// A guest's token lasts for minutes and is not renewed: the browser gets the next one for the code and a proof that it
/// is the browser that had the code first. So a token or a code that is copied is of little use elsewhere.
final class GuestService: Sendable {
  /// Seconds.
  static let tokenLifetime: Int64 = 900
  /// Codes from one address a minute that are none.
  static let wrongCodesPerMinute = 20

  let invitations: Invitations
  private let store: any HubStore
  private let tokens: TokenAuthority
  private let logins: LoginService
  private let audit: AuditLog
  private let wrongCodes = Mutex(FailureLimiter(perMinute: wrongCodesPerMinute, of: "invitations"))

  init(store: any HubStore, tokens: TokenAuthority, logins: LoginService, audit: AuditLog) {
    invitations = Invitations(store: store)
    (self.store, self.tokens, self.logins, self.audit) = (store, tokens, logins, audit)
  }

  /// Who a guest's token stands for, as the invitation is now; nil where it does not hold any more.
  static func principal(for claims: AccessClaims, in store: any HubStore) async throws -> Principal? {
    guard claims.sub.hasPrefix(InvitationRecord.guestPrefix),
      let record = try await store.invitation(id: String(claims.sub.dropFirst(InvitationRecord.guestPrefix.count))),
      record.state(at: TokenAuthority.nowInMilliseconds) == .used,
      try await Invitations(store: store).isBacked(record)
    else { return nil }
    return record.principal
  }

  // MARK: Codes

  func view(_ code: String, from origin: LoginRecord.Origin) async throws -> InvitationView {
    let record = try await record(code, from: origin)
    let now = TokenAuthority.nowInMilliseconds
    let entry = record.entry(at: now)
    return InvitationView(
      name: record.name, deviceTitle: entry.deviceTitle, group: entry.group, media: record.media, from: record.from,
      until: record.until, now: now, state: try await state(of: record, at: now),
      challenge: try tokens.challenge(of: record.guestID))
  }

  func redeem(_ redemption: InvitationRedemption, from origin: LoginRecord.Origin) async throws -> LoginResponse {
    let record = try await record(redemption.code, from: origin)
    do {
      return try await grant(record, redemption, from: origin)
    } catch let refusal as HubRefusal {
      audit.record(
        AuditEvent(
          .invitationRefused, by: AuditActor(.unknown, address: origin.address), on: record.auditSubject,
          outcome: .refused, changes: [AuditChange(.reason, to: refusal.problem.type)], groups: Set(record.groups)))
      throw refusal
    }
  }

  private func grant(
    _ record: InvitationRecord, _ redemption: InvitationRedemption, from origin: LoginRecord.Origin
  ) async throws -> LoginResponse {
    let now = TokenAuthority.nowInMilliseconds
    let state = try await state(of: record, at: now)
    guard state == .open || state == .used else { throw HubRefusal.invitation(state) }
    switch (redemption.key, redemption.challenge, redemption.proof) {
    case (let key?, nil, nil):
      guard GuestKey.isValid(key) else {
        throw HubRefusal.invalid(field: "key", reason: "must be 32 octets in base64url")
      }
      guard let taken = try await invitations.take(record.id, key: key, from: origin, now: now) else {
        throw HubRefusal.invitation(.used)
      }
      if taken.isFirst { noteUse(taken.record, from: origin) }
    case (nil, let challenge?, let proof?):
      guard let use = record.use else { throw HubRefusal.invitation(.open) }
      guard tokens.isChallenge(challenge, of: record.guestID), GuestKey.isProof(proof, of: challenge, by: use.key)
      else { throw HubRefusal.invitation(.used) }
    default: throw HubRefusal.invalid(field: "key, challenge, proof", reason: "give key, or challenge and proof")
    }
    return try tokens.grantGuest(record.principal, until: record.until)
  }

  private func noteUse(_ record: InvitationRecord, from origin: LoginRecord.Origin) {
    audit.record(
      AuditEvent(
        .invitationUsed, by: AuditActor(.guest, id: record.guestID, title: record.name, address: origin.address),
        on: record.auditSubject, changes: [AuditChange(.client, to: origin.client)], groups: Set(record.groups)))
  }

  /// The invitation of a code; wrong codes count.
  private func record(_ code: String, from origin: LoginRecord.Origin) async throws -> InvitationRecord {
    let now = Instant.now
    try wrongCodes.withLock { limiter throws(HubRefusal) in try limiter.take(origin.address, now: now) }
    let isPlausible = (16...64).contains(code.utf8.count)
    guard isPlausible, let record = try await store.invitation(code: InvitationCode(text: code).hashed) else {
      let refusal = HubRefusal.notFound("no such invitation")
      audit.record(
        AuditEvent(
          .invitationRefused, by: AuditActor(.unknown, address: origin.address), outcome: .refused,
          changes: [AuditChange(.reason, to: refusal.problem.type)]))
      throw refusal
    }
    wrongCodes.withLock { $0.forgive(origin.address, now: now) }
    return record
  }

  private func state(of record: InvitationRecord, at now: Int64) async throws -> InvitationState {
    let state = record.state(at: now)
    switch state {
    case .open, .used, .early: return try await invitations.isBacked(record) ? state : .revoked
    case .expired, .revoked: return state
    }
  }

  // MARK: Operators

  func make(
    _ request: InvitationRequest, by identity: Identity, from origin: LoginRecord.Origin, id: String
  ) async throws -> InvitationGrant {
    do {
      let (record, code) = try await invitations.make(
        request, by: .account(try await store.currentOperator(identity)), id: id, now: TokenAuthority.nowInMilliseconds)
      audit.record(.made(record, by: AuditActor(identity, from: origin)))
      return InvitationGrant(id: record.id, code: code.text)
    } catch let error as InvitationError {
      if error == .noTarget { noteRefusal(of: .invitationMade, to: identity, from: origin) }
      throw HubRefusal(error)
    }
  }

  /// Makes a link to view a device.
  func makeLink(
    _ request: ViewLinkRequest, by identity: Identity, from origin: LoginRecord.Origin, id: String
  ) async throws -> ViewLinkGrant {
    do {
      let record = try await invitations.makeLink(
        request, by: .account(try await store.currentOperator(identity)), id: id, now: TokenAuthority.nowInMilliseconds)
      guard let link = try tokens.viewLink(for: record) else { throw InvitationError.noTarget }
      audit.record(.made(record, by: AuditActor(identity, from: origin)))
      return ViewLinkGrant(id: record.id, link: String(link.dropFirst()), until: record.until)
    } catch let error as InvitationError {
      if error == .noTarget { noteRefusal(of: .invitationMade, to: identity, from: origin) }
      throw HubRefusal(error)
    }
  }

  /// Those to the operator's groups, the newest first.
  func list(for identity: Identity) async throws -> InvitationList {
    let now = TokenAuthority.nowInMilliseconds
    let reader = try await store.currentOperator(identity)
    let records = try await store.invitations().filter { reader.mayInvite(to: $0.groups) }
    return InvitationList(items: records.sorted { $0.createdAt > $1.createdAt }.map { $0.entry(at: now) })
  }

  /// Revokes an invitation to the operator's groups, and refuses its tokens from now on; returns the guest's user id.
  func revoke(_ id: String, by identity: Identity, from origin: LoginRecord.Origin) async throws -> String {
    let now = TokenAuthority.nowInMilliseconds
    let reader = try await store.currentOperator(identity)
    guard let known = try await store.invitation(id: id), reader.mayInvite(to: known.groups), known.endsAt > now else {
      noteRefusal(of: .invitationRevoked, to: identity, from: origin)
      throw HubRefusal.notFound("no such invitation that can still be used")
    }
    // Before it is written: on a full disk it ends on this node at least.
    logins.note([EndedLogin(id: known.guestID, endedAt: now)])
    guard let record = try await invitations.revoke(id, now: now) else {
      throw HubRefusal.notFound("no such invitation that can still be used")
    }
    audit.record(
      AuditEvent(
        .invitationRevoked, by: AuditActor(identity, from: origin), on: record.auditSubject,
        groups: identity.principal.groups.union(record.groups)))
    return record.guestID
  }

  /// Names no invitation: one of other groups is not the operator's to know.
  private func noteRefusal(of kind: AuditKind, to identity: Identity, from origin: LoginRecord.Origin) {
    audit.record(
      AuditEvent(
        kind, by: AuditActor(identity, from: origin), outcome: .refused, groups: identity.principal.groups))
  }
}

extension HubRefusal {
  fileprivate init(_ error: InvitationError) {
    switch error {
    case .badName(let refusal): self = .badTitle(refusal.description)
    case .badTimes: self = .invalid(field: "from, until", reason: error.description)
    case .noTarget: self = .notFound(error.description)
    case .tooMany: self = .tooMany("invitations that have not ended", retryAfter: 3_600)
    }
  }
}

extension AuditActor {
  /// Who makes a request.
  init(_ identity: Identity, from origin: LoginRecord.Origin) {
    self.init(
      identity.principal.role == .guest ? .guest : .account, id: identity.principal.userID,
      title: identity.principal.userTitle, address: origin.address, loginID: identity.claims.loginID)
  }
}
