public import ArgumentParser
import ControlMessages
import Glibc
public import MediaPlaneAPI

struct AnswerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "answer", abstract: "Answers a call that rings.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.") var session: String

  func run() throws { try connection.perform(.answer, SessionParameters(sessionID: session)) }
}

struct RejectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "reject", abstract: "Rejects a call that rings.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.") var session: String
  @Option(help: "declined, busy, not-allowed, outside-hours or rate-limited.") var reason = "declined"

  func run() throws { try connection.perform(.reject, RejectParameters(sessionID: session, reason: reason)) }
}

struct HangUpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "hangup", abstract: "Ends a call.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.") var session: String

  func run() throws { try connection.perform(.hangUp, SessionParameters(sessionID: session)) }
}

struct ChatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat", abstract: "Sends a line of text to the other party of a call.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.") var session: String
  @Argument(help: "The text, at most 8 KiB.") var text: String

  func run() throws { try connection.perform(.chat, ChatParameters(sessionID: session, text: text)) }
}

extension MuteTarget: ExpressibleByArgument {}

struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mute", abstract: "Mutes a device for all calls.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "What nobody is to have.") var target: MuteTarget

  func run() throws { try connection.perform(.mute, MuteParameters(target: target, isMuted: true)) }
}

struct UnmuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "unmute", abstract: "Ends a mute.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "What was muted.") var target: MuteTarget

  func run() throws { try connection.perform(.mute, MuteParameters(target: target, isMuted: false)) }
}

struct SayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "say", abstract: "Plays a WAV file on the loudspeaker.",
    discussion:
      "The daemon reads the file, so its user must be permitted to; /home and /tmp are hidden from the service.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The file, at most a minute long.", completion: .file(extensions: ["wav"])) var file: String

  private var absolutePath: String {
    get throws {
      if file.hasPrefix("/") { return file }
      guard let folder = getcwd(nil, 0) else {
        throw ValidationError("the working folder is gone; name the whole path")
      }
      defer { free(folder) }
      return "\(String(cString: folder))/\(file)"
    }
  }

  func run() throws { try connection.perform(.say, SayParameters(path: try absolutePath)) }
}

struct SwapCameraCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swap-camera", abstract: "Goes on with the next camera.")

  @OptionGroup var connection: ConnectionOptions

  func run() throws { try connection.perform(.swapCamera, NoParameters()) }
}
