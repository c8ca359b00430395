/// Invitations of guests.
public protocol InvitationStore: Sendable {
  /// Keeps a new invitation; where `maximum` are kept, the one goes that ended first.
  ///
  /// - Returns: false, without a change, where as many have not ended at `now` (milliseconds since 1970).
  func insertInvitation(_ invitation: InvitationRecord, now: Int64, maximum: Int) async throws -> Bool
  /// Replaces an invitation, if it has not changed since it was read; returns whether it had not.
  func updateInvitation(_ invitation: InvitationRecord, replacing before: InvitationRecord) async throws -> Bool
  func invitation(id: String) async throws -> InvitationRecord?
  /// The invitation that a code was made for; `hashed` is ``InvitationCode/hashed``.
  func invitation(code hashed: String) async throws -> InvitationRecord?
  /// All that are kept, in any order, without those that a newer version has written and this one cannot read.
  func invitations() async throws -> [InvitationRecord]
}
