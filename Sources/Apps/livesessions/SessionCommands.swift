public import ArgumentParser
import ControlMessages
import Glibc
public import MediaPlaneAPI

struct AnswerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "answer", abstract: "Answers a call that rings.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.", completion: Completions.sessions) var session: String

  func run() throws { try connection.perform(.answer, SessionParameters(sessionID: session)) }
}

struct RejectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "reject", abstract: "Rejects a call that rings.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.", completion: Completions.sessions) var session: String
  @Option(help: "declined, busy, not-allowed, outside-hours or rate-limited.") var reason = "declined"

  func run() throws { try connection.perform(.reject, RejectParameters(sessionID: session, reason: reason)) }
}

struct HangUpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "hangup", abstract: "Ends a call.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.", completion: Completions.sessions) var session: String

  func run() throws { try connection.perform(.hangUp, SessionParameters(sessionID: session)) }
}

struct ChatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat", abstract: "Sends a line of text to the other party of a call.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.", completion: Completions.sessions) var session: String
  @Argument(help: "The text, at most 8 KiB.") var text: String

  func run() throws { try connection.perform(.chat, ChatParameters(sessionID: session, text: text)) }
}

extension MuteTarget: ExpressibleByArgument {}

struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "mute", abstract: "Mutes a device for all calls.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "What to mute.") var target: MuteTarget

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
    commandName: "say", abstract: "Plays a sound file, or speaks a text, on the loudspeaker.",
    discussion:
      """
      The daemon reads the file, WAV or Opus, so its user must be permitted to; /home and /tmp are hidden from the service. \
      Texts are spoken by espeak-ng, where that is installed; espeak-ng --voices lists its voices.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The file, at most a minute long.", completion: .file(extensions: ["wav", "opus"])) var file: String?
  @Option(help: "What to speak in place of a file.") var text: String?
  @Option(help: "Who speaks the text, for example de or en+f3; en without it.") var voice: String?

  func validate() throws {
    guard (file == nil) != (text == nil) else { throw ValidationError("name a file, or give --text") }
    guard text != nil || voice == nil else { throw ValidationError("--voice is for --text") }
  }

  private func absolutePath(of file: String) throws -> String {
    if file.hasPrefix("/") { return file }
    guard let folder = getcwd(nil, 0) else {
      throw ValidationError("the working folder is gone; name the whole path")
    }
    defer { free(folder) }
    return "\(String(cString: folder))/\(file)"
  }

  func run() throws {
    let path = try file.map { try absolutePath(of: $0) }
    try connection.perform(.say, SayParameters(path: path, text: text, voice: voice))
  }
}

struct SwapCameraCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "swap-camera", abstract: "Switches to the next camera.")

  @OptionGroup var connection: ConnectionOptions

  func run() throws { try connection.perform(.swapCamera, NoParameters()) }
}

struct CameraCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "camera", abstract: "Shows the other party of a call another camera.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The session's id, as status shows it.", completion: Completions.sessions) var session: String
  @Argument(
    help: "The name of a further camera, device for the main one, or mosaic for all in one frame.",
    completion: Completions.views)
  var camera: String

  func run() throws {
    try connection.perform(.chooseCamera, ChooseCameraParameters(sessionID: session, camera: camera))
  }
}
