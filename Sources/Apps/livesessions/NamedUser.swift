import ControlMessages

/// The user that a name on the command line means: a user who is online and has that title or id, else the user with
/// that id.
struct NamedUser {
  let userID: String
  /// Known only of who is online.
  let isDevice: Bool
  /// How the name was understood.
  let note: String

  /// - Throws: a reported ``Failure`` when several have the title.
  init(_ name: String, among connection: ConnectionOptions) throws {
    guard let users = Self.onlineUsers(connection) else {
      self.init(name, because: "the daemon cannot be asked for titles")
      return
    }
    let found = users.filter { $0.userID == name || $0.userTitle.lowercased() == name.lowercased() }
    guard let first = found.first else {
      self.init(name, because: "no user who is online has this title")
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

  private static func onlineUsers(_ connection: ConnectionOptions) -> [OnlineUser]? {
    guard var client = try? ControlClient(path: connection.path) else { return nil }
    return try? client.call(.users, timeout: .seconds(5)).users
  }
}
