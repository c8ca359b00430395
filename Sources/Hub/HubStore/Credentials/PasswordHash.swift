internal import Foundation
internal import OpenSSLCrypto
internal import SystemSupport

/// Password hashing with scrypt (RFC 7914), stored as `$scrypt$ln=14,r=8,p=5$salt$hash`.
///
/// One hash takes tens of milliseconds and 16 MB by intent: call it off the event loops, few at a time.
public struct PasswordHash: Sendable, Equatable {
  /// What a hash costs; stored with it, so that it can be raised later.
  public struct Cost: Sendable, Equatable {
    /// Binary logarithm of scrypt's N.
    public var logRounds: Int
    public var blockSize: Int
    public var parallelism: Int

    public init(logRounds: Int, blockSize: Int, parallelism: Int) {
      self.logRounds = logRounds
      self.blockSize = blockSize
      self.parallelism = parallelism
    }

    /// OWASP's recommendation that fits small boards: 16 MB, five times.
    public static let standard = Cost(logRounds: 14, blockSize: 8, parallelism: 5)

    /// A stored hash must not make the hub work without bound.
    var isSane: Bool { (1...20).contains(logRounds) && (1...32).contains(blockSize) && (1...32).contains(parallelism) }
  }

  public let cost: Cost
  private let salt: Data
  private let hash: Data

  /// Hashes with a fresh random salt.
  public init(password: String, cost: Cost = .standard) throws {
    self.cost = cost
    salt = randomBytes(16)
    hash = try Self.derive(password, salt: salt, cost: cost)
  }

  /// What no password matches but costs as much to compare: for unknown titles.
  static func decoy(cost: Cost) -> PasswordHash {
    PasswordHash(cost: cost, salt: randomBytes(16), hash: randomBytes(32))
  }

  private init(cost: Cost, salt: Data, hash: Data) {
    self.cost = cost
    self.salt = salt
    self.hash = hash
  }

  /// Reads the stored form.
  public init?(text: String) {
    let parts = text.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt", let cost = Self.cost(parts[2]), cost.isSane,
      let salt = Data(base64Encoded: String(parts[3])), let hash = Data(base64Encoded: String(parts[4])),
      hash.count == 32
    else { return nil }
    self.init(cost: cost, salt: salt, hash: hash)
  }

  public var text: String {
    let parameters = "ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)"
    return "$scrypt$\(parameters)$\(salt.base64EncodedString())$\(hash.base64EncodedString())"
  }

  /// Compares in constant time.
  public func matches(_ password: String) throws -> Bool {
    constantTimeEqual(try Self.derive(password, salt: salt, cost: cost), hash)
  }

  private static func derive(_ password: String, salt: Data, cost: Cost) throws -> Data {
    let key = try OpenSSLCrypto().scrypt(
      Array(password.utf8), salt: Array(salt), rounds: 1 << UInt64(cost.logRounds),
      blockSize: UInt64(cost.blockSize), parallelism: UInt64(cost.parallelism), byteCount: 32)
    return Data(key)
  }

  private static func cost(_ text: Substring) -> Cost? {
    var values: [Substring: Int] = [:]
    for pair in text.split(separator: ",") {
      let sides = pair.split(separator: "=")
      guard sides.count == 2 else { return nil }
      values[sides[0]] = Int(sides[1])
    }
    guard let logRounds = values["ln"], let blockSize = values["r"], let parallelism = values["p"] else { return nil }
    return Cost(logRounds: logRounds, blockSize: blockSize, parallelism: parallelism)
  }
}
