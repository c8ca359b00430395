public import HubCore
public import Signalling

/// Why an invitation cannot be made as asked.
public enum InvitationError: Error, Equatable, CustomStringConvertible {
  case badName(TitleRefusal)
  case badTimes
  /// No such device or group, or none that who asks may invite to.
  case noTarget
  case tooMany

  public var description: String {
    switch self {
    case .badName(let refusal): "the guest's name: \(refusal)"
    case .badTimes:
      "an invitation ends after it begins, in the future, and within \(Invitations.longestDays) days, a link to view "
        + "within \(Invitations.longestViewDays)"
    case .noTarget: "there is no such device or group that you may invite to"
    case .tooMany: "there are too many invitations; revoke some that are not needed"
    }
  }
}

/// Makes, finds, hands out and revokes invitations in a store.
public struct Invitations: Sendable {
  /// That a store keeps, ended ones among them.
  public static let maximum = 1_000
  /// That have not ended, of one operator.
  public static let maximumPerMaker = 100
  public static let longestDays: Int64 = 366
  /// Of a link to view, which stands in histories and logs of others.
  public static let longestViewDays: Int64 = 31
  /// How often a change is tried again because another was quicker.
  private static let attempts = 20

  private let store: any HubStore

  public init(store: any HubStore) { self.store = store }

  /// Who makes an invitation: an operator, or who runs commands on the server and may do so for all.
  public enum Inviter: Sendable {
    case account(UserRecord)
    case localAdministrator(String)
  }

  /// A link to view a device, without its token.
  ///
  /// - Parameters:
  ///   - id: a fresh unique name.
  ///   - now: in milliseconds since 1970.
  public func makeLink(
    _ request: ViewLinkRequest, by inviter: Inviter, id: String, now: Int64
  ) async throws -> InvitationRecord {
    let invitation = InvitationRequest(
      name: request.name, deviceID: request.deviceID, group: nil, media: .watch, from: nil, until: request.until)
    return try await make(invitation, by: inviter, id: id, now: now, for: .view).record
  }

  /// - Parameters:
  ///   - id: a fresh unique name.
  ///   - now: in milliseconds since 1970.
  public func make(
    _ request: InvitationRequest, by inviter: Inviter, id: String, now: Int64,
    for purpose: InvitationRecord.Purpose = .call
  ) async throws -> (record: InvitationRecord, code: InvitationCode) {
    let from = request.from ?? now
    let days = purpose == .view ? Self.longestViewDays : Self.longestDays
    let (latest, isOverflow) = now.addingReportingOverflow(days * 86_400_000)
    guard !isOverflow, from >= 0, request.until > max(from, now), request.until <= latest else {
      throw InvitationError.badTimes
    }
    let (target, title, groups) = try await target(of: request, by: inviter)
    let code = InvitationCode()
    let record = InvitationRecord(
      id: id, code: code.hashed, name: try Self.enforced(request.name), target: target, targetTitle: title,
      groups: groups, media: request.media, from: from, until: request.until, createdAt: now,
      maker: Self.maker(inviter), purpose: purpose)
    if let userID = record.maker.userID {
      let own = try await store.invitations().filter { $0.maker.userID == userID && $0.endsAt > now }
      guard own.count < Self.maximumPerMaker else { throw InvitationError.tooMany }
    }
    guard try await store.insertInvitation(record, now: now, maximum: Self.maximum) else {
      throw InvitationError.tooMany
    }
    return (record, code)
  }

  /// Whether the one who made it may still invite there: an invitation ends with the right of its maker.
  public func isBacked(_ record: InvitationRecord) async throws -> Bool {
    guard let userID = record.maker.userID else { return true }
    guard let maker = try await store.user(id: userID), maker.role == .operator, !maker.isDisabled else { return false }
    switch record.target {
    case .group(let group): return maker.mayInvite(to: [group])
    case .device(let id):
      guard let device = try await store.user(id: id) else { return false }
      return device.role == .device && maker.mayInvite(to: device.groups)
    }
  }

  /// Gives an invitation to the browser that has `key`, if it is open or that browser's already.
  ///
  /// - Returns: the record, and whether the browser is the first to have it; nil where another has it.
  public func take(
    _ id: String, key: String, from origin: LoginRecord.Origin, now: Int64
  ) async throws -> (record: InvitationRecord, isFirst: Bool)? {
    for _ in 0..<Self.attempts {
      guard let before = try await store.invitation(id: id) else { return nil }
      if let use = before.use { return GuestKey.isSame(use.key, as: key) ? (before, false) : nil }
      guard before.state(at: now) == .open else { return nil }
      var after = before
      after.use = InvitationRecord.Use(at: now, key: key, origin: origin)
      if try await store.updateInvitation(after, replacing: before) { return (after, true) }
    }
    throw HubStoreError.unavailable(reason: "others change the invitation \(id) all the time")
  }

  /// Revokes an invitation and ends its login; nil where there is none that has not ended.
  public func revoke(_ id: String, now: Int64) async throws -> InvitationRecord? {
    for _ in 0..<Self.attempts {
      guard let before = try await store.invitation(id: id), before.endsAt > now else { return nil }
      var after = before
      after.revokedAt = now
      guard try await store.updateInvitation(after, replacing: before) else { continue }
      _ = try await store.endLogin(after.guestID, of: after.guestID, at: now)
      return after
    }
    throw HubStoreError.unavailable(reason: "others change the invitation \(id) all the time")
  }

  private func target(
    of request: InvitationRequest, by inviter: Inviter
  ) async throws -> (GuestTarget, title: String, groups: [String]) {
    switch (request.deviceID, request.group) {
    case (let id?, nil):
      guard let device = try await store.user(id: id), device.role == .device else { throw InvitationError.noTarget }
      if case .account(let maker) = inviter, !maker.mayInvite(to: device.groups) { throw InvitationError.noTarget }
      return (.device(id), device.title, device.groups.sorted())
    case (nil, let group?):
      if case .account(let maker) = inviter, !maker.mayInvite(to: [group]) { throw InvitationError.noTarget }
      guard try await store.users().contains(where: { $0.groups.contains(group) }) else {
        throw InvitationError.noTarget
      }
      return (.group(group), group, [group])
    case (nil, nil), (_?, _?): throw InvitationError.noTarget
    }
  }

  private static func maker(_ inviter: Inviter) -> InvitationRecord.Maker {
    switch inviter {
    case .account(let maker): InvitationRecord.Maker(userID: maker.id, title: maker.title)
    case .localAdministrator(let name): InvitationRecord.Maker(userID: nil, title: "local administrator \(name)")
    }
  }

  private static func enforced(_ name: String) throws -> String {
    do { return try Title(enforcing: name).text } catch { throw InvitationError.badName(error) }
  }
}

extension UserRecord {
  /// Whether an operator may invite to devices of these groups, and see such invitations: administrators to all.
  public func mayInvite(to groups: some Sequence<String>) -> Bool {
    isAdministrator || !self.groups.isDisjoint(with: groups)
  }
}
