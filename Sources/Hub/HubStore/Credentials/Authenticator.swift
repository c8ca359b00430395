/// Checks credentials against a store.
///
/// An unknown title and a wrong secret take the same time and give the same answer.
public struct Authenticator: Sendable {
  private let store: any HubStore
  private let decoy: PasswordHash

  /// `cost` is that of new password hashes; the decoy has it as well.
  public init(store: any HubStore, cost: PasswordHash.Cost = .standard) {
    self.store = store
    decoy = .decoy(cost: cost)
  }

  /// The user of that title and password, or nil. `offload` runs the costly comparison elsewhere.
  public func user(
    title: String, password: String, offload: (@escaping @Sendable () throws -> Bool) async throws -> Bool
  ) async throws -> UserRecord? {
    let record = try await store.user(title: title)
    var known: PasswordHash?
    if case .password(let text) = record?.credential { known = PasswordHash(text: text) }
    let hash = known ?? decoy
    let isMatch = try await offload { try hash.matches(password) }
    return isMatch && known != nil && record?.isDisabled == false ? record : nil
  }

  /// The device that an enrolment key was made for, or nil.
  ///
  /// The key alone says who it is: its 256 random bits cannot be guessed, so looking up their hash reveals nothing by
  /// the time that it takes, and a device whose title changed remains the same device.
  public func device(enrolmentKey: String) async throws -> UserRecord? {
    let device = try await store.user(enrolmentKey: EnrolmentKey(text: enrolmentKey).hashed)
    return device?.isDisabled == false ? device : nil
  }
}
