import ArgumentParser
import SystemSupport

/// The hub: directory, call signalling, tokens and the web page.
@main
struct HubCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "livesessions-hub", abstract: "The LiveSessions hub: who is online, and how to call them.",
    version: ProgramVersion.text,
    subcommands: [
      SetupCommand.self, ServeCommand.self, AddUserCommand.self, EnrolDeviceCommand.self, ListUsersCommand.self,
      DevicesCommand.self, RenameCommand.self, SetGroupsCommand.self, SetRoleCommand.self,
      SetPasswordCommand.self, RemoveUserCommand.self, ListLoginsCommand.self, EndLoginsCommand.self,
      CallsCommand.self,
      InviteCommand.self, ViewLinkCommand.self, ListInvitationsCommand.self, RevokeInvitationCommand.self,
      AuditCommand.self,
      ImportAccountsCommand.self, BackupCommand.self, RestoreCommand.self, StatusCommand.self, ConfigCommand.self,
    ],
    defaultSubcommand: ServeCommand.self)
}
