internal import Foundation
internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// Who views, by an account's token or a link.
struct Viewer: Sendable {
  var principal: Principal
  /// When the token or the link runs out, and with it the view, in milliseconds since 1970.
  var endsAt: Int64
  /// Of the link; nil for an account.
  var linkToken: String?
  var auditActor: AuditActor
}

/// Finds out who views.
struct ViewerAuthentication: Sendable {
  let store: any HubStore
  let tokens: TokenAuthority
  let principals: PrincipalCache
  let connections: ConnectionRegistry

  /// - Throws: ``HubCore/HubRefusal`` where there is no token that is good for the device.
  func viewer(of deviceID: String, _ request: Request, _ context: HubRequestContext) async throws -> Viewer {
    let origin = LoginRecord.Origin(request, context)
    if let token = request.uri.queryParameters.get(TokenAuthority.viewLinkParameter) {
      return try await viewer(of: deviceID, byLink: token, from: origin)
    }
    return try await viewer(byAccountOf: request, context, from: origin)
  }

  private func viewer(
    of deviceID: String, byLink token: String, from origin: LoginRecord.Origin
  ) async throws -> Viewer {
    guard let claims = tokens.viewLinkClaims(of: token), let record = try await link(claims.sub) else {
      throw HubRefusal.notAuthenticated
    }
    guard record.target == .device(deviceID), claims.device == deviceID else {
      throw HubRefusal.notAllowed("the link is for another device")
    }
    let principal = record.principal
    return Viewer(
      principal: principal, endsAt: min(record.until, claims.exp * 1_000), linkToken: token,
      auditActor: AuditActor(.guest, id: principal.userID, title: principal.userTitle, address: origin.address))
  }

  private func viewer(
    byAccountOf request: Request, _ context: HubRequestContext, from origin: LoginRecord.Origin
  ) async throws -> Viewer {
    guard let token = request.bearerToken, let claims = await tokens.accessClaims(of: token),
      let account = try await principals.principal(for: claims)
    else { throw HubRefusal.notAuthenticated }
    guard account.role == .operator || account.role == .user else {
      throw HubRefusal.notAllowed("accounts of people view; others need a link")
    }
    connections.noteAuthenticated(context.channel)
    connections.note(token: token, of: account.userID)
    return Viewer(
      principal: .viewer(of: account, loginID: claims.loginID), endsAt: claims.exp * 1_000,
      auditActor: AuditActor(Identity(principal: account, claims: claims), from: origin))
  }

  /// The invitation of a link, as long as it holds.
  private func link(_ id: String) async throws -> InvitationRecord? {
    guard let record = try await store.invitation(id: id), record.isForViews,
      record.state(at: TokenAuthority.nowInMilliseconds) == .used,
      try await Invitations(store: store).isBacked(record)
    else { return nil }
    return record
  }

  /// Whether a viewer may still view a device, as accounts and links are now.
  func mayView(_ viewer: Principal, _ deviceID: String) async throws -> Bool {
    switch viewer.viewer {
    case .link(let id): try await link(id).map { $0.target == .device(deviceID) } ?? false
    case .account(let userID, let loginID): try await mayView(userID, by: loginID, deviceID)
    case nil: false
    }
  }

  private func mayView(_ userID: String, by loginID: String, _ deviceID: String) async throws -> Bool {
    guard !principals.isEnded(loginID), let account = try await store.user(id: userID), !account.isDisabled,
      let device = try await store.user(id: deviceID)
    else { return false }
    return device.principal.sharesGroup(with: .viewer(of: account.principal, loginID: loginID))
  }
}
