internal import FoundationEssentials
public import HubStore
internal import RedisClient

extension RedisStore {
  public func insertInvitation(_ invitation: InvitationRecord, now: Int64, maximum: Int) async throws -> Bool {
    try await send(
      .functionCall(
        InvitationFunctions.insert, keys: [InvitationKeys.invitations, InvitationKeys.codes, InvitationKeys.ends],
        arguments: [
          invitation.id, invitation.code, Self.text(invitation), "\(invitation.endsAt)", "\(now)",
          "\(maximum)",
        ])
    ).integer == 1
  }

  public func updateInvitation(
    _ invitation: InvitationRecord, replacing before: InvitationRecord
  ) async throws -> Bool {
    try await send(
      .functionCall(
        InvitationFunctions.update, keys: [InvitationKeys.invitations, InvitationKeys.ends],
        arguments: [invitation.id, Self.text(before), Self.text(invitation), "\(invitation.endsAt)"])
    ).integer == 1
  }

  public func invitation(id: String) async throws -> InvitationRecord? {
    try await send(RedisCommand("HGET", InvitationKeys.invitations, id)).text.map(Self.invitation)
  }

  public func invitation(code hashed: String) async throws -> InvitationRecord? {
    guard let id = try await send(RedisCommand("HGET", InvitationKeys.codes, hashed)).text else { return nil }
    return try await invitation(id: id)
  }

  public func invitations() async throws -> [InvitationRecord] {
    let reply = try await send(RedisCommand("HVALS", InvitationKeys.invitations))
    return (reply.elements ?? []).compactMap(\.text).compactMap { try? Self.invitation($0) }
  }

  /// The same text for the same record: changes compare it.
  private static func text(_ invitation: InvitationRecord) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(invitation) else { preconditionFailure("a record cannot be encoded") }
    return String(decoding: data, as: UTF8.self)
  }

  private static func invitation(_ text: String) throws -> InvitationRecord {
    guard let invitation = try? JSONDecoder().decode(InvitationRecord.self, from: Data(text.utf8)) else {
      throw StoredRecordError.unreadableInvitation
    }
    return invitation
  }
}
