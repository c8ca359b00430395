internal import HubCore
internal import HubStore
internal import Signalling

extension AccountEntry {
  init(_ user: UserRecord, isOnline: Bool, seen: SeenRecord?, reported: ReportRecord?) {
    let code = user.oneTimeCode
    let state: CredentialState =
      switch user.credential {
      case .password: code == nil ? .password : .oneTimeCode
      case .enrolmentKey: .enrolmentKey
      }
    self.init(
      id: user.id, title: user.title, kind: user.kind, role: user.accountRole, groups: user.groups.sorted(),
      isDisabled: user.isDisabled, credential: state, credentialExpiresAt: code?.expiresAt, createdAt: user.createdAt,
      isOnline: isOnline, lastSeen: seen?.at, client: seen.flatMap { $0.client.isEmpty ? nil : $0.client })
    (report, reportedAt) = (reported?.report, reported?.at)
  }
}

extension ActiveCall {
  /// `now` is in milliseconds since 1970.
  init(_ call: OngoingCall, now: Int64) {
    self.init(
      sessionID: call.id, caller: SessionParty(call.caller), receiver: SessionParty(call.receiver),
      startedAt: now - call.age.wholeMilliseconds, isAnswered: call.isAnswered)
  }
}
