/// Copies all accounts and signing keys of one store to another, so that passwords, keys and tokens stay what they are.
public struct AccountImport: Sendable {
  private let source: any HubStore
  private let destination: any HubStore

  public init(from source: any HubStore, to destination: any HubStore) {
    self.source = source
    self.destination = destination
  }

  /// Copies what is not there yet, so that it can be repeated after a failure; returns how many were copied.
  ///
  /// - Throws: ``HubStoreError/titleTaken`` when an account of another id has a title; those before it are copied.
  public func run() async throws -> (users: Int, keys: Int) {
    let knownKeys = Set(try await destination.signingKeys().map(\.keyID))
    let keys = try await source.signingKeys().filter { !knownKeys.contains($0.keyID) }
    for key in keys { try await destination.insert(key) }
    if let key = try await source.pushKey() { _ = try await destination.insertFirstPushKey(key) }
    var count = 0
    for user in try await source.users() where try await destination.user(id: user.id) == nil {
      try await destination.insert(user)
      count += 1
    }
    return (count, keys.count)
  }
}
