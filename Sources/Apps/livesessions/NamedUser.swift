import ConfigFile
import ControlMessages
import DeviceConfiguration

/// The user that a name on the command line means: `user:ID`, the title or id of a user who is online, or the id of one
/// who need not be.
struct NamedUser {
  /// The status of a command that is given a title that no user has; as that of a call to a user who is not online.
  static let unknown = CallOutcome.notOnline.rawValue

  let userID: String
  /// Known only of who is online.
  let isDevice: Bool
  /// How the name was understood.
  let note: String

  /// - Throws: a reported ``Failure`` when several have the title, or none has it.
  init(_ name: String, among connection: ConnectionOptions) throws {
    guard let users = Self.onlineUsers(connection) else {
      self.init(name, because: "the daemon cannot be asked for titles")
      return
    }
    try self.init(name, among: users)
  }

  /// Finds a title as it is written before one of other letters' case, as the daemon does.
  init(_ name: String, among users: [OnlineUser]) throws {
    let ways: [(OnlineUser) -> Bool] = [
      { $0.userID == name }, { $0.userTitle == name }, { $0.userTitle.lowercased() == name.lowercased() },
    ]
    let found = ways.lazy.map { users.filter($0) }.first { !$0.isEmpty } ?? []
    guard let first = found.first else {
      guard TitledUser.isID(name) else { throw Self.noUser(name, among: users).reported() }
      self.init(name, because: "no user who is online has it")
      return
    }
    guard found.count == 1 else {
      let ids = found.map { "user:\($0.userID)" }.joined(separator: ", ")
      throw Failure("several who are online have the title \"\(name)\"; name one: \(ids)").reported()
    }
    self.init(
      userID: first.userID, isDevice: first.kind == "device", note: "\(first.userTitle) is user:\(first.userID)")
  }

  private init(userID: String, isDevice: Bool, note: String) {
    (self.userID, self.isDevice, self.note) = (userID, isDevice, note)
  }

  private init(_ name: String, because cause: String) {
    self.init(userID: name, isDevice: false, note: "\"\(name)\" is taken as an id: \(cause)")
  }

  /// The online user whose title is nearest to a misspelt one.
  static func closestTitle(to name: String, among users: [OnlineUser]) -> String? {
    let titles = Dictionary(users.map { ($0.userTitle.lowercased(), $0.userTitle) }) { first, _ in first }
    return closestMatch(to: name.lowercased(), among: titles.keys.sorted()).flatMap { titles[$0] }
  }

  static func onlineUsers(_ connection: ConnectionOptions) -> [OnlineUser]? {
    guard var client = try? ControlClient(path: connection.path) else { return nil }
    return try? client.call(.users, timeout: .seconds(5)).users
  }

  private static func noUser(_ name: String, among users: [OnlineUser]) -> Failure {
    let suggestion =
      closestTitle(to: name, among: users).map { "did you mean \"\($0)\"?" } ?? "livesessions users lists them."
    return Failure(
      "no user who is online has the title \"\(name)\"; \(suggestion) A user who is not is named by user:ID",
      code: unknown)
  }
}
