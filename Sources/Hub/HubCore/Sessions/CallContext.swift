public import Signalling

/// What a call needs to be placed: the parties as the hub knows them.
public struct CallContext: Sendable {
  public let receiver: Principal
  public let callerRole: SessionRole
  public let receiverRole: SessionRole
  /// Metres, when both positions are known.
  public let distance: Double?
  /// Whether the receiver has push subscriptions, which are to ring.
  public let ringsPhones: Bool

  /// - Parameter known: the session that this very request has made already: its roles stay.
  public init(
    _ request: SessionRequest, from caller: (principal: Principal, location: UserLocation?),
    to receiver: (principal: Principal, location: UserLocation?), ringsPhones: Bool = false, known: CallSession?
  ) {
    self.ringsPhones = ringsPhones
    self.receiver = receiver.principal
    callerRole = known?.callerRole ?? Self.role(of: caller.principal, request)
    receiverRole = known?.receiverRole ?? (receiver.principal.role == .operator ? .moderator : .publisher)
    distance = caller.location.flatMap { origin in receiver.location.map { origin.distance(to: $0) } }
  }

  /// A party that asks for neither audio nor video both ways only receives.
  private static func role(of caller: Principal, _ request: SessionRequest) -> SessionRole {
    if caller.role == .viewer { return .subscriber }
    if caller.role == .operator { return .moderator }
    if caller.guest?.media == .watch { return .subscriber }
    return request.isAudio || request.isVideo ? .publisher : .subscriber
  }
}
