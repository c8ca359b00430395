import MediaCore

/// Both sides' credentials and, from a restart until another path is selected, those of before (RFC 8445 §9).
struct CredentialGenerations {
  private(set) var current: CredentialSet
  /// Kept while the old path is in use.
  private(set) var previous: CredentialSet?

  init(_ local: ICECredentials) { current = CredentialSet(local, generation: 0) }

  subscript(generation: UInt8) -> CredentialSet? {
    if generation == current.generation { return current }
    return previous?.generation == generation ? previous : nil
  }

  /// The credentials whose fragments a username names, ours first, the peer's (if known) second.
  func addressed(by username: RawSpan) -> CredentialSet? {
    if current.isAddressed(by: username) { return current }
    guard let previous, previous.isAddressed(by: username) else { return nil }
    return previous
  }

  mutating func setRemote(_ remote: ICECredentials) { current.setRemote(remote) }

  /// Takes new local credentials.
  ///
  /// - Parameter selected: the generation of the path in use, whose credentials stay; nil where there is none.
  mutating func restart(_ local: ICECredentials, keeping selected: UInt8?) {
    previous = selected.map { self[$0] ?? current }
    current = CredentialSet(local, generation: current.generation &+ 1)
  }

  mutating func forgetPrevious() { previous = nil }
}

extension CredentialSet {
  fileprivate func isAddressed(by username: RawSpan) -> Bool {
    let prefix = incomingPrefix.count
    guard username.byteCount > prefix, username.extracting(0..<prefix).isEqual(to: incomingPrefix) else { return false }
    return remote == nil || username.extracting(prefix..<username.byteCount).isEqual(to: remoteFragment)
  }
}

extension RawSpan {
  fileprivate func isEqual(to bytes: [UInt8]) -> Bool {
    guard byteCount == bytes.count else { return false }
    var reader = ByteReader(self)
    for byte in bytes where (try? reader.readUInt8()) != byte { return false }
    return true
  }
}
