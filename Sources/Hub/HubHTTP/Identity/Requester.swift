internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// Who makes a request, by which login, and from where.
struct Requester: Sendable {
  let identity: Identity
  let origin: LoginRecord.Origin

  init(_ request: Request, _ context: HubRequestContext) throws(HubRefusal) {
    identity = Identity(principal: try context.principal, claims: try context.claims)
    origin = LoginRecord.Origin(request, context)
  }

  var principal: Principal { identity.principal }
  var auditActor: AuditActor { AuditActor(identity, from: origin) }
}

/// Who makes an administrative request, with that account's rights at the moment.
struct Administrator: Sendable {
  let requester: Requester
  let rights: AccountRights
}

extension HubStore {
  /// The operator who asks, as the account is now: a role or group that was taken away is gone at once.
  func currentOperator(_ identity: Identity) async throws -> UserRecord {
    guard let account = try await user(id: identity.principal.userID), account.role == .operator, !account.isDisabled
    else { throw HubRefusal.notAllowed("this is for operators") }
    return account
  }
}
