/// The tokens of accounts that requests have shown lately, so that the next request is authenticated before it is
/// answered.
///
/// Only their hashes are kept, in two generations: what was not shown while a generation filled is forgotten.
public struct KnownTokens: Sendable {
  private let capacity: Int
  /// Whose each is, by hashes as well.
  private var recent: [Int: Int] = [:]
  private var older: [Int: Int] = [:]

  /// - Parameter capacity: Of each generation.
  public init(capacity: Int) {
    self.capacity = capacity
  }

  /// The token was accepted.
  public mutating func insert(_ token: String, of userID: String) {
    guard recent.updateValue(userID.hashValue, forKey: token.hashValue) == nil, recent.count > capacity else { return }
    older = recent
    recent = [:]
  }

  /// The token was refused.
  public mutating func remove(_ token: String) {
    recent[token.hashValue] = nil
    older[token.hashValue] = nil
  }

  /// A number that stands for the account of a token; nil for a token that is not known. An account has one, however many tokens.
  public func account(of token: String) -> Int? { recent[token.hashValue] ?? older[token.hashValue] }
}
