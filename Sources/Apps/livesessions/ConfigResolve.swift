import ArgumentParser
import ConfigFile
import ControlMessages
import DeviceConfiguration
import Signalling
import SystemSupport

struct ConfigResolve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve", abstract: "Replaces titles of users in configuration files by the ids of their accounts.",
    discussion: """
      A title is written where an id may stand: "user:Olga". The running daemon asks the hub, which knows accounts that \
      are offline as well, and neither anonymous users nor guests; an account has to share a group with the device. A comment \
      keeps the title. The file is checked before it is written. What no account has stays as it is; then the status is 1.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var named: ConfigurationFiles

  func run() throws {
    var isComplete = true
    for path in named.files(of: connection.instance) where try !resolve(path) { isComplete = false }
    if !isComplete { throw ExitCode.failure }
  }

  /// Whether no title is left.
  private func resolve(_ path: String) throws -> Bool {
    let kind = ConfiguredFile(path: path)
    do {
      let text = try ConfigDocument.text(path: path)
      let users = try kind.titledUsers(in: text, path)
      guard !users.isEmpty else {
        Output.printLine("\(path): names no user by a title")
        return true
      }
      let resolved = ResolvedUsers(users, try ResolvedUsers.ask(users, connection))
      if !resolved.found.isEmpty {
        let edited = try resolved.edit.applied(to: text, file: path)
        try kind.check(edited, path)
        try ConfiguredFile.write(edited, to: path)
      }
      for line in resolved.lines { Output.printLine("\(path): \(line)") }
      return resolved.missing.isEmpty
    } catch let error as ConfigErrors {
      throw Failure(error.description, code: Failure.configuration).reported()
    } catch let error as ControlClientError {
      throw Failure(error).reported()
    }
  }
}

/// Users whom a file names by titles, and the accounts that have these.
struct ResolvedUsers {
  let found: [(user: TitledUser, account: TitledAccount)]
  let missing: [TitledUser]

  /// Titles of one request.
  private static let maximum = 32

  init(_ users: [TitledUser], _ accounts: [TitledAccount]) {
    // Only an id is stored, whatever was answered.
    let known = Dictionary(accounts.filter { TitledUser.isID($0.userID) }.map { ($0.title, $0) }) { first, _ in first }
    found = users.compactMap { user in known[user.title].map { (user, $0) } }
    missing = users.filter { known[$0.title] == nil }
  }

  static func ask(
    _ users: [TitledUser], _ connection: ConnectionOptions
  ) throws(ControlClientError) -> [TitledAccount] {
    var titles = Array(Set(users.map(\.title))).sorted()[...]
    var client = try ControlClient(path: connection.path)
    var accounts: [TitledAccount] = []
    while !titles.isEmpty {
      let question = ResolveTitlesParameters(titles: Array(titles.prefix(maximum)))
      accounts += try client.call(.resolveTitles, question).accounts
      titles = titles.dropFirst(maximum)
    }
    return accounts
  }

  var edit: StringEdit {
    StringEdit(
      found.map { user, account in
        StringEdit.Replacement(
          at: user.position, with: TitledUser.prefix + account.userID, remark: account.userTitle)
      })
  }

  /// What became of each, for people.
  var lines: [String] {
    found.map { user, account in
      "line \(user.position.line): \(account.userTitle) is \(TitledUser.prefix)\(account.userID)"
    }
      + missing.map {
        "line \($0.position.line): \"\($0.title)\" stays as it is: no account in the device's groups has this title"
      }
  }
}

extension ConfiguredFile {
  func titledUsers(in text: String, _ path: String) throws(ConfigErrors) -> [TitledUser] {
    TitledUser.all(in: try ConfigDocument(text: text, file: path), sections)
  }

  /// - Throws: all the mistakes of the text.
  func check(_ text: String, _ path: String) throws(ConfigErrors) {
    switch self {
    case .device: _ = try DeviceConfiguration(text: text, file: path)
    case .policy: _ = try PolicyFile.read(text: text, file: path)
    }
  }

  static func write(_ text: String, to path: String) throws(ConfigErrors) {
    do {
      try PrivateFile.rewrite(path, with: Array(text.utf8))
    } catch {
      throw ConfigErrors([
        ConfigError(file: path, position: nil, problem: "cannot write the file: \(error)", remedy: "run it as root")
      ])
    }
  }
}
