/// The tokens of accounts that requests have shown lately, so that the next request is a member's before it is answered.
///
/// Only their hashes are kept, in two generations: what was not shown while a generation filled is forgotten.
public struct KnownTokens: Sendable {
  private let capacity: Int
  private var recent: Set<Int> = []
  private var older: Set<Int> = []

  /// - Parameter capacity: Of each generation.
  public init(capacity: Int) {
    self.capacity = capacity
  }

  /// The token was accepted.
  public mutating func insert(_ token: String) {
    guard recent.insert(token.hashValue).inserted, recent.count > capacity else { return }
    older = recent
    recent = []
  }

  /// The token was refused.
  public mutating func remove(_ token: String) {
    recent.remove(token.hashValue)
    older.remove(token.hashValue)
  }

  public func contains(_ token: String) -> Bool {
    recent.contains(token.hashValue) || older.contains(token.hashValue)
  }
}
