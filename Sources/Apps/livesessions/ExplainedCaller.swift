import ArgumentParser
import CallPolicy

/// The caller for whom a policy is explained.
struct ExplainedCaller: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions
  @Option(
    help: """
      Who asks: the title of a user who is online (livesessions users), user:ID, or group:NAME or role:NAME for a user \
      who has it; of an action also local, http or mqtt.
      """, completion: Completions.titles)
  var caller: String
  @Option(help: "The caller's role at the hub: operator, user, device, anonymous, guest or viewer.") var role: String?
  @Option(help: "A group of the caller; may be repeated.") var group: [String] = []

  func validate() throws {
    if CallerPattern(caller) == nil, caller.contains(":") || caller.isEmpty {
      throw ValidationError("--caller is user:ID, group:NAME, role:NAME or a title")
    }
    guard let role, CallerRole(rawValue: role) == nil else { return }
    throw ValidationError("--role must be one of \(CallerRole.allCases.map(\.rawValue).joined(separator: ", "))")
  }

  /// A user as the hub would authenticate them.
  struct Identity {
    var userID: String
    /// Nil where it is neither named nor known.
    var role: CallerRole?
    var groups: [String]
    /// How a name was understood; nil where nothing had to be.
    var note: String?
  }

  func identity() throws -> Identity {
    try Identity(caller, role: role.flatMap { CallerRole(rawValue: $0) }, groups: group, among: connection)
  }
}

extension ExplainedCaller.Identity {
  /// Stands for the id of a user who is known only by a group or a role; no user has it.
  private static let unnamed = "(somebody)"

  /// Reads user:ID, group:NAME, role:NAME, a title of a user who is online, or an id.
  ///
  /// - Parameters:
  ///   - role: nil where none is named.
  ///   - groups: those beside the one that `caller` names.
  init(_ caller: String, role: CallerRole?, groups: [String], among connection: ConnectionOptions) throws {
    switch CallerPattern(caller) {
    case .user(let userID)?: self.init(userID: userID, role: role, groups: groups)
    case .group(let name)?: self.init(userID: Self.unnamed, role: role, groups: [name] + groups)
    case .role(let named)?: self.init(userID: Self.unnamed, role: role ?? named, groups: groups)
    case nil:
      let user = try NamedUser(caller, among: connection)
      self.init(userID: user.userID, role: role ?? (user.isDevice ? .device : nil), groups: groups, note: user.note)
    }
  }
}
