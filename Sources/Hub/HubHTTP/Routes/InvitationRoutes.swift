internal import Foundation
internal import HubCore
internal import HubStore
internal import Hummingbird
internal import Signalling

/// `/v1/invitations` and what is below it: operators make, list and revoke invitations, guests use them. Codes come in
/// bodies alone: what stands in a URL ends up in histories and logs.
struct InvitationRoutes {
  static let maximumBytes = 4 << 10
  /// Of a group that one guest is shown.
  static let maximumDevices = 256

  let hub: Hub
  let store: any HubStore
  let guests: GuestService
  let views: ViewService

  /// What needs no token, but a code.
  func addOpen(to router: some RouterMethods<HubRequestContext>) {
    router.post("/v1/invitations/check") { request, context in
      let check = try await request.decode(InvitationCheck.self, upTo: Self.maximumBytes)
      return try Response.json(try await guests.view(check.code, from: LoginRecord.Origin(request, context)))
    }
    router.post("/v1/invitations/redeem") { request, context in
      let redemption = try await request.decode(InvitationRedemption.self, upTo: Self.maximumBytes)
      return Response.json(try await guests.redeem(redemption, from: LoginRecord.Origin(request, context)))
    }
  }

  /// What guests do with their tokens.
  func addForGuests(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/invitation") { _, context in
      let principal = try context.principal
      guard let scope = principal.guest,
        let record = try await store.invitation(
          id: String(principal.userID.dropFirst(InvitationRecord.guestPrefix.count)))
      else { throw HubRefusal.notAllowed("this is for guests") }
      return try Response.json(
        GuestOverview(
          name: record.name, media: record.media, until: record.until,
          devices: try await devices(of: scope)))
    }
  }

  func addForOperators(to router: some RouterMethods<HubRequestContext>) {
    router.get("/v1/invitations") { _, context in
      try Response.json(try await guests.list(for: try context.operatorIdentity))
    }
    router.post("/v1/invitations") { request, context in
      let identity = try context.operatorIdentity
      let invitation = try await request.decode(InvitationRequest.self, upTo: Self.maximumBytes)
      try await hub.backplane.admitToken(for: "invitations of \(identity.principal.userID)")
      let grant = try await guests.make(
        invitation, by: identity, from: LoginRecord.Origin(request, context), id: UUID().uuidString.lowercased())
      return try Response.json(grant, status: .created)
    }
    router.post("/v1/view-links") { request, context in
      let identity = try context.operatorIdentity
      let wish = try await request.decode(ViewLinkRequest.self, upTo: Self.maximumBytes)
      try await hub.backplane.admitToken(for: "invitations of \(identity.principal.userID)")
      let grant = try await guests.makeLink(
        wish, by: identity, from: LoginRecord.Origin(request, context), id: UUID().uuidString.lowercased())
      return try Response.json(grant, status: .created)
    }
    router.delete("/v1/invitations/:invitationID") { request, context in
      let identity = try context.operatorIdentity
      let guestID = try await guests.revoke(
        try context.parameters.require("invitationID"), by: identity, from: LoginRecord.Origin(request, context))
      // Ends the guest's call, and the link's views, at once.
      try await hub.backplane.withdrawPresence(userID: guestID, streamID: nil)
      try await views.endForbidden()
      return Response.noContent
    }
  }

  /// The guest's devices, and which of them are online.
  private func devices(of scope: GuestScope) async throws -> [GuestDevice] {
    let devices: [UserRecord]
    switch scope.target {
    case .device(let id): devices = [try await store.user(id: id)].compactMap(\.self)
    case .group(let group): devices = try await store.users().filter { $0.groups.contains(group) }
    }
    let listed = devices.filter { $0.role == .device && !$0.isDisabled }.prefix(Self.maximumDevices)
    let online = try await hub.backplane.online(listed.map(\.id))
    return listed.map { GuestDevice(userID: $0.id, userTitle: $0.title, isOnline: online.contains($0.id)) }
  }
}

extension HubRequestContext {
  /// Who makes the request, if it is an operator.
  var operatorIdentity: Identity {
    get throws(HubRefusal) {
      let identity = Identity(principal: try principal, claims: try claims)
      guard identity.principal.role == .operator else { throw .notAllowed("this is for operators") }
      return identity
    }
  }
}
