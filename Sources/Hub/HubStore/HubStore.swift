/// What the hub remembers between runs.
///
/// Presence, sessions and events lie elsewhere. Every implementation passes the suite in `HubStoreConformance`.
/// Several processes may use one store at the same time (the hub and its commands).
public protocol HubStore: AccountStore, LoginStore, PushStore, CallStore, InvitationStore, AuditStore, SigningKeyStore {
}

/// What a store refuses; whatever else it throws is a failure of the store itself.
public enum HubStoreError: Error, Equatable {
  case titleTaken
  case unknownUser
  /// No one would be left in charge of the hub's accounts.
  case lastInCharge
  /// Nothing can be changed: there is no room on the disk of the store, or it is mounted read-only.
  case diskFull
  /// The server of the store cannot be reached at the moment; as text for people.
  case unavailable(reason: String)
}

extension HubStoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .titleTaken: "the title is taken"
    case .unknownUser: "there is no such user"
    case .lastInCharge: "no one would be left in charge"
    case .diskFull: "the disk of the database is full or read-only"
    case .unavailable(let reason): reason
    }
  }
}
