import ArgumentParser
import CommandSuggestions
import ConfigFile
import Foundation
import HubCore
import HubStore
import SafeText
import Signalling

struct AddUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "add-user", abstract: "Add a person.")

  @OptionGroup var options: HubOptions

  @Option(parsing: .unconditional, help: "The title to log in with and to appear under.")
  var title: String

  @Option(help: "What the person may do.")
  var role: PersonRole = .user

  @Option(name: .customLong("group"), help: "A group to belong to; may be repeated. (default: default)")
  var groups: [String] = []

  @OptionGroup var newPassword: NewPassword

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let password = try newPassword.read()
        let record = try await changingAccounts {
          try await Accounts(store: store).add(
            NewPerson(title: title, role: role.role, groups: Set(groups), password: password), id: makeUserID(),
            now: currentTime())
        }
        await LocalAudit.record(
          .accountCreated, on: AuditSubject(record),
          changes: [
            AuditChange(.role, to: record.accountRole.rawValue),
            AuditChange(.groups, to: record.groups.sorted().joined(separator: ",")),
          ], groups: record.groups, in: store, of: options)
        printError("added \(record.accountRole.rawValue) \"\(record.title)\" with id \(record.id)")
        if newPassword.generate { StandardOutput.printLine(password) }
      }
    }
  }
}

struct SetPasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-password", abstract: "Give a person another password; logins by the old one end within seconds.")

  @OptionGroup var options: HubOptions

  @Option(parsing: .unconditional, help: "The title or id of the person.")
  var title: String

  @OptionGroup var newPassword: NewPassword

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let known = try await knownAccount(title, in: store)
        let password = try newPassword.read()
        let user = try await changingAccounts {
          try await Accounts(store: store).setPassword(title: known.title, password: password)
        }
        guard let user else { throw Failure("there is no person \"\(title)\"") }
        await LocalAudit.record(
          .passwordChanged, on: AuditSubject(user), groups: user.groups, in: store, of: options)
        printError("\"\(user.title)\" has another password now")
        if newPassword.generate { StandardOutput.printLine(password) }
      }
    }
  }
}

struct EnrolDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol-device", abstract: "Enrol a device and print the key that it logs in with.")

  @OptionGroup var options: HubOptions

  @Option(parsing: .unconditional, help: "The title that the device logs in with and appears under.")
  var title: String

  @Option(name: .customLong("group"), help: "A group to belong to; may be repeated. (default: default)")
  var groups: [String] = []

  @Option(help: "Write the key to this new file (mode 0600) instead of printing it.")
  var keyFile: String?

  @Flag(help: "Give a device that is enrolled already a new key; its old one ends.")
  var replace = false

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let known = try await changingAccounts { try await store.user(title: title) }
        if !replace, known?.kind == .device {
          throw Failure("a device of that title is enrolled already; --replace gives it a new key")
        }
        let output = try keyFile.map(PrivateFile.init)
        let (record, key) = try await changingAccounts {
          try await Accounts(store: store).enrolDevice(
            title: title, groups: Set(groups), replacing: replace, id: makeUserID(), now: currentTime())
        }
        await LocalAudit.record(
          known != nil ? .keyReplaced : .deviceEnrolled, on: AuditSubject(record),
          changes: [AuditChange(.groups, to: record.groups.sorted().joined(separator: ","))], groups: record.groups,
          in: store, of: options)
        printError("enrolled \"\(record.title)\" with id \(record.id)")
        if let output { try output.write(key.text) } else { StandardOutput.printLine(key.text) }
      }
    }
  }
}

func printJSON(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  StandardOutput.printLine(String(decoding: try encoder.encode(value), as: UTF8.self).escapingControlsInJSON)
}

struct RenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a user or device another title; passwords and keys stay.")

  @OptionGroup var options: HubOptions

  @Option(parsing: .unconditional, help: "The title that the user or device has, or its id.")
  var title: String

  @Option(parsing: .unconditional, help: "The title that it gets.")
  var to: String

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let known = try await knownAccount(title, in: store)
        let renamed = try await changingAccounts { try await Accounts(store: store).rename(known.title, to: to) }
        guard let user = renamed else { throw Failure("there is no user \"\(known.title)\"") }
        await LocalAudit.record(
          .accountChanged, on: AuditSubject(user), changes: [AuditChange(.title, from: known.title, to: user.title)],
          groups: user.groups, in: store, of: options)
        printError("\"\(known.title)\" is \"\(user.title)\" now")
      }
    }
  }
}

struct RemoveUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-user", abstract: "Remove a user or device; its tokens end within seconds.")

  @OptionGroup var options: HubOptions

  @Option(parsing: .unconditional, help: "The title or id of the user or device.")
  var title: String

  func run() async throws {
    try await reportingFailures {
      try await options.withStore { store in
        let user = try await knownAccount(title, in: store)
        try await changingAccounts { _ = try await store.removeUser(id: user.id) }
        await LocalAudit.record(
          user.kind == .device ? .deviceRevoked : .accountRemoved, on: AuditSubject(user), groups: user.groups,
          in: store, of: options)
        printError("removed \"\(user.title)\"")
      }
    }
  }
}
