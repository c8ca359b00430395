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
