/// What an update of presence says about the position, as a merge patch does (RFC 7396): a member that is absent changes
/// nothing, `null` takes away what is there.
public enum LocationUpdate: Sendable, Hashable {
  /// The position published last stays.
  case unchanged
  /// There is none, or it may no longer be shown.
  case withdrawn
  case at(UserLocation)
}
