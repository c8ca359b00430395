import ArgumentParser
import CommandSuggestions
import ConfigFile
import ControlMessages
import DeviceActions
import DeviceConfiguration
import Glibc

struct ActionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "action", abstract: "What the device can do, such as opening a door.",
    subcommands: [ActionList.self, ActionRun.self, ActionExplain.self, ActionSafe.self])
}

struct ActionList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows the device's actions, and which of them the policy lets be used from here.")

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let reply = try connection.withClient { client throws(ControlClientError) in
      try client.call(.listActions)
    }
    if json { return try Output.printJSON(reply.actions) }
    for action in reply.actions {
      let verdict = action.isAllowed ? "allowed" : "refused"
      Output.printLine("\(action.name): \(verdict)\(action.needsPIN ? ", with the PIN" : "")")
    }
  }
}

struct ActionRun: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", abstract: "Has the device do an action.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The action's name.", completion: Completions.actions) var name: String
  @Flag(help: "Read the PIN from the first line of standard input.") var pinStdin = false

  func run() throws {
    let pin = pinStdin ? readLine() : nil
    if pinStdin, pin == nil { throw ValidationError("there is no PIN on standard input") }
    try connection.perform(.runAction, RunActionParameters(name: name, pin: pin))
  }
}

struct ActionExplain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Shows which rule decides about the use of an action, and why those above it do not.",
    discussion: "Limits and wrong PINs, which only the daemon knows, are left aside.")

  @Argument(help: "The action's name.", completion: Completions.actions) var name: String
  @OptionGroup var caller: ExplainedCaller
  @OptionGroup var time: ExplainedTime
  @Flag(help: "The caller is in a connected call.") var inCall = false
  @OptionGroup var source: PolicySource
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let request = ExplainedAction(caller: caller, time: time, name: name, isInCall: inCall)
    try request.explain(source, isJSON: json)
  }
}

struct ActionSafe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "safe", abstract: "Sets the lines of all actions inactive while no daemon runs.",
    discussion: """
      systemd runs this when the daemon has ended, however it did: most GPIO chips keep the level of a line whose \
      program is gone.
      """)

  @OptionGroup var instance: InstanceOption
  @OptionGroup var file: ConfigurationOption

  func run() throws {
    let configuration = try DeviceConfiguration.readOrFail(path: file.path(instance.named))
    let failures = ActionLines.makeSafe(configuration.actions.compactMap(\.line))
    guard failures.isEmpty else {
      throw Failure(failures.map { "\($0)" }.joined(separator: "; ")).reported()
    }
  }
}

extension DeviceConfiguration {
  /// Mistakes end the program with a line each.
  static func readOrFail(path: String) throws -> DeviceConfiguration {
    do {
      return try DeviceConfiguration(path: path)
    } catch {
      throw Failure(error.description, code: Failure.configuration).reported()
    }
  }
}
