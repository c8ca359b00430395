/// When a user was online last, and with which program.
public struct SeenRecord: Sendable, Equatable, Codable {
  private static let maximumBytes = 128

  public var userID: String
  /// Milliseconds since 1970.
  public var at: Int64
  /// What the program calls itself (`User-Agent`), cut off where it is long.
  public var client: String

  public init(userID: String, at: Int64, client: String) {
    (self.userID, self.at) = (userID, at)
    self.client = String(decoding: client.utf8.prefix(Self.maximumBytes), as: UTF8.self)
  }
}
