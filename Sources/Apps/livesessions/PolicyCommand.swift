import ArgumentParser
import CommandSuggestions
import CallPolicy
import ConfigFile
import ControlMessages
import DeviceConfiguration
import Glibc
import MediaCore

struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Explains which calls the device answers and places, and who may use its actions or have it record.",
    subcommands: [PolicyExplain.self, PolicyOutgoing.self, PolicyRecording.self])
}

struct PolicyExplain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Shows which rule decides about a call or an action, and why those above it do not.",
    discussion: """
      The running daemon is asked, whose policy in force decides; with --policy or --config, or without a daemon, the file. \
      Nothing is looked up but the title of a user who is online. With --action the use of an action is explained.
      """)

  @OptionGroup var caller: ExplainedCaller
  @OptionGroup var time: ExplainedTime
  @Flag(help: "The caller asks for audio; without this and --video for both.") var audio = false
  @Flag(help: "The caller asks for video.") var video = false
  @Option(help: "How far away the caller is, such as 3km.") var distance: String?
  @Option(help: "How many calls are up. (default: as many as there are; none with a file)") var callsUp: Int?
  @Option(
    help: "An earlier call of the caller, \(TimeExpression.examples); may be repeated.", transform: TimeExpression.parse
  )
  var called: [TimeExpression] = []
  @Option(
    help: ArgumentHelp("Explain the use of this action instead of a call.", valueName: "name"),
    completion: Completions.actions)
  var action: String?
  @Flag(help: "The caller is in a connected call; with --action.") var inCall = false
  @OptionGroup var source: PolicySource
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if inCall, action == nil { throw ValidationError("--in-call is for --action") }
    let isAboutCall = audio || video || distance != nil || callsUp != nil || !called.isEmpty
    if isAboutCall, action != nil { throw ValidationError("of an action only --caller, --at and --in-call matter") }
  }

  func run() throws {
    if let action {
      let request = ExplainedAction(caller: caller, time: time, name: action, isInCall: inCall)
      return try request.explain(source, isJSON: json)
    }
    let identity = try caller.identity()
    let (reply, note) = try source.explain(try question(identity), among: caller.connection)
    try reply.show(isJSON: json, caller: identity.note, policy: note)
    guard identity.role == nil, identity.groups.isEmpty, !json else { return }
    Output.printNote(
      "explained for a user in no group, since the hub alone knows role and groups; name them with --role and --group")
  }

  private func question(_ identity: ExplainedCaller.Identity) throws -> PolicyExplainParameters {
    var question = PolicyExplainParameters(caller: identity.userID)
    (question.role, question.groups) = (identity.role?.rawValue, identity.groups)
    question.media = audio == video ? .both : audio ? .audio : .video
    question.distance = try distance.map { try quantity("--distance", $0, ConfigQuantity.distance) }
    question.callsUp = callsUp
    let now = Int64(Glibc.time(nil))
    question.recentCalls = called.map { max(0, now.saturatingSubtracting($0.seconds)).saturatingMultiplied(by: 1_000) }
    question.time = time.at?.milliseconds
    return question
  }

  private func quantity<Value>(
    _ option: String, _ text: String, _ parse: (String) throws(ConfigValueError) -> Value
  ) throws -> Value {
    do {
      return try parse(text)
    } catch {
      throw ValidationError("\(option): \(error.problem)")
    }
  }
}

/// The use of an action that is explained.
struct ExplainedAction {
  let caller: ExplainedCaller
  let time: ExplainedTime
  let name: String
  let isInCall: Bool

  func explain(_ source: PolicySource, isJSON: Bool) throws {
    let (question, callerNote) = try question()
    let (reply, note) = try source.explain(question, among: caller.connection)
    try reply.show(isJSON: isJSON, caller: callerNote, policy: note)
  }

  private func question() throws -> (PolicyExplainParameters, note: String?) {
    let isProgram = ["http", "mqtt"].contains(caller.caller)
    let identity = caller.caller == "local" || isProgram ? nil : try caller.identity()
    var question = PolicyExplainParameters(caller: isProgram ? caller.caller : identity?.userID)
    question.role = identity?.role?.rawValue
    // The hub reports neither for a user whom the device has called.
    if let identity, identity.role != nil || !identity.groups.isEmpty { question.groups = identity.groups }
    (question.action, question.inCall) = (name, isInCall)
    question.time = time.at?.milliseconds
    return (question, identity?.note)
  }
}

extension PolicyExplainReply {
  /// Prints it for programs or people.
  ///
  /// - Parameters:
  ///   - caller: how the caller's name was understood.
  ///   - policy: which policy was asked.
  func show(isJSON: Bool, caller: String?, policy: String) throws {
    var explanation = explanation
    explanation.note = caller
    if isJSON { return try Output.printJSON(explanation) }
    Output.printLine(policy)
    if let caller { Output.printLine("caller: \(caller)") }
    if let time = explanation.time { Output.printLine("time: \(Output.weekday(time)) \(Output.time(time))") }
    for line in lines.dropLast() { Output.printLine(line) }
    if let last = lines.last {
      Output.printStyled(last, ["answer", "allow"].contains(explanation.decision) ? .good : .caution)
    }
  }
}

extension PolicyFile {
  /// Mistakes end the program with a line each.
  static func readOrFail(path: String) throws -> CallPolicy {
    do {
      return try read(path: path)
    } catch {
      throw Failure(error.description, code: Failure.configuration).reported()
    }
  }
}
