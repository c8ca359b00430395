import ArgumentParser

/// The hub: directory, call signalling, tokens and the web page.
@main
struct HubCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "livesessions-hub", abstract: "The LiveSessions hub: who is online, and how to call them.",
    subcommands: [
      ServeCommand.self, AddUserCommand.self, EnrolDeviceCommand.self, ListUsersCommand.self, RemoveUserCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)
}
