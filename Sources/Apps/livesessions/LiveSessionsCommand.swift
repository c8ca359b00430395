import ArgumentParser
import SystemSupport

/// The command line for a LiveSessions device.
@main
struct LiveSessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "livesessions", abstract: "Inspects and controls the LiveSessions daemon of this device.",
    discussion: """
      Exit codes: 0 success, 1 the request failed, 64 wrong usage, 69 the daemon cannot be \
      reached, 78 a configuration \
      file has mistakes; those of livesessions call --wait are in its own help.
      """,
    version: ProgramVersion.text,
    subcommands: [
      StatusCommand.self, StatsCommand.self, UsersCommand.self, MonitorCommand.self, EventsCommand.self,
      HomeCommand.self,
      CallCommand.self,
      AnswerCommand.self,
      RejectCommand.self, HangUpCommand.self, ChatCommand.self, MuteCommand.self, UnmuteCommand.self,
      SwapCameraCommand.self, CameraCommand.self, SnapshotCommand.self, SayCommand.self, ActionCommand.self,
      ArchiveCommand.self, ReloadCommand.self, RestartCommand.self, PolicyCommand.self, ConfigCommand.self,
      DevicesCommand.self,
      DoctorCommand.self, ReportCommand.self,
    ])

  @OptionGroup var connection: ConnectionOptions
}
