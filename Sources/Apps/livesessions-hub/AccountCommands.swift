import ArgumentParser
import ConfigFile
import Foundation
import HubCore
import HubStore

struct AddUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "add-user", abstract: "Add a person.")

  @OptionGroup var options: HubOptions

  @Option(help: "The title to log in with and to appear under.")
  var title: String

  @Option(help: "What the person may do.")
  var role: PersonRole = .user

  @Option(name: .customLong("group"), help: "A group to belong to; may be repeated. (default: default)")
  var groups: [String] = []

  @Option(help: "A file of mode 0600 with the password, or - for standard input.")
  var passwordFile: String?

  @Flag(help: "Make a password and print it.")
  var generate = false

  func validate() throws {
    guard (passwordFile != nil) != generate else { throw ValidationError("give --password-file or --generate") }
  }

  func run() async throws {
    try await reportingFailures {
      let store = try options.openStore(options.loadConfiguration())
      let password = try passwordFile.map(readPassword) ?? String(makeRandomToken().prefix(20))
      let record = try await changingAccounts {
        try await Accounts(store: store).addUser(
          title: title, role: role.role, groups: Set(groups), password: password, id: makeUserID(), now: currentTime())
      }
      printError("added \(record.role.rawValue) \"\(record.title)\" with id \(record.id)")
      if generate { print(password) }
    }
  }
}

struct EnrolDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol-device", abstract: "Enrol a device and print the key that it logs in with.")

  @OptionGroup var options: HubOptions

  @Option(help: "The title that the device logs in with and appears under.")
  var title: String

  @Option(name: .customLong("group"), help: "A group to belong to; may be repeated. (default: default)")
  var groups: [String] = []

  @Option(help: "Write the key to this new file (mode 0600) instead of printing it.")
  var keyFile: String?

  @Flag(help: "Give a device that is enrolled already a new key; its old one ends.")
  var replace = false

  func run() async throws {
    try await reportingFailures {
      let store = try options.openStore(options.loadConfiguration())
      let output = try keyFile.map(PrivateFile.init)
      let (record, key) = try await changingAccounts {
        try await Accounts(store: store).enrolDevice(
          title: title, groups: Set(groups), replacing: replace, id: makeUserID(), now: currentTime())
      }
      printError("enrolled \"\(record.title)\" with id \(record.id)")
      if let output { try output.write(key.text) } else { print(key.text) }
    }
  }
}

struct ListUsersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list-users", abstract: "List users and devices.")

  @OptionGroup var options: HubOptions

  func run() async throws {
    try await reportingFailures {
      let store = try options.openStore(options.loadConfiguration())
      for user in try await changingAccounts({ try await store.users() }) {
        let groups = user.groups.sorted().joined(separator: ",")
        print("\(user.id)\t\(user.role.rawValue)\t\(groups)\t\(user.title)")
      }
    }
  }
}

struct RemoveUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-user", abstract: "Remove a user or device; its tokens end within seconds.")

  @OptionGroup var options: HubOptions

  @Option(help: "The title of the user or device.")
  var title: String

  func run() async throws {
    try await reportingFailures {
      let store = try options.openStore(options.loadConfiguration())
      guard let user = try await changingAccounts({ try await store.user(title: title) }) else {
        throw Failure("there is no user \"\(title)\"")
      }
      try await changingAccounts { _ = try await store.removeUser(id: user.id) }
      printError("removed \"\(user.title)\"")
    }
  }
}
