/// An archive that is to be uploaded.
public struct UploadCandidate<ID: Hashable & Sendable>: Hashable, Sendable {
  public var id: ID
  /// Whether something happened in it: it was recorded because of an event, or one began while it ran.
  public var hasEvents: Bool
  /// Octets that are still to be sent.
  public var byteCount: UInt64

  public init(id: ID, hasEvents: Bool, byteCount: UInt64) {
    self.id = id
    self.hasEvents = hasEvents
    self.byteCount = byteCount
  }
}

/// In which order archives go: those with events first, and of each kind the oldest first. One that fails by itself waits
/// behind the others.
public struct UploadQueue<ID: Hashable & Sendable>: Sendable {
  private var postponed: [ID] = []
  private static var maxPostponed: Int { 1_024 }

  public init() {}

  /// The next one; nil if there is none.
  ///
  /// - Parameter candidates: in the order in which they came.
  public func next(_ candidates: [UploadCandidate<ID>]) -> UploadCandidate<ID>? {
    let fresh = candidates.filter { !postponed.contains($0.id) }
    if let first = fresh.first(where: { $0.hasEvents }) ?? fresh.first { return first }
    for id in postponed { if let candidate = candidates.first(where: { $0.id == id }) { return candidate } }
    return nil
  }

  /// What failed for a reason of its own lets the others go first, and is tried again after those that failed before.
  public mutating func postpone(_ id: ID) {
    postponed.removeAll { $0 == id }
    postponed.append(id)
    if postponed.count > Self.maxPostponed { postponed.removeFirst() }
  }

  public mutating func remove(_ id: ID) { postponed.removeAll { $0 == id } }
}
