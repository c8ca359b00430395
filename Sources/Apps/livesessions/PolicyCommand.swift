import ArgumentParser
import CallPolicy
import ConfigFile
import DeviceConfiguration
import Glibc

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
    discussion:
      "Nothing is looked up but the title of a user who is online. With --action the use of an action is explained."
  )

  @OptionGroup var caller: ExplainedCaller
  @OptionGroup var time: ExplainedTime
  @Flag(help: "The caller asks for audio; without this and --video for both.") var audio = false
  @Flag(help: "The caller asks for video.") var video = false
  @Option(help: "How far away the caller is, such as 3km.") var distance: String?
  @Option(help: "How many calls are up.") var callsUp = 0
  @Option(
    help: "An earlier call of the caller, \(TimeExpression.examples); may be repeated.", transform: TimeExpression.parse
  )
  var called: [TimeExpression] = []
  @Option(help: ArgumentHelp("Explain the use of this action instead of a call.", valueName: "name")) var action:
    String?
  @Flag(help: "The caller is in a connected call; with --action.") var inCall = false
  @Option(help: ArgumentHelp("The policy's file.", valueName: "path")) var policy = PolicyFile.defaultPath
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    if inCall, action == nil { throw ValidationError("--in-call is for --action") }
    let isAboutCall = audio || video || distance != nil || callsUp != 0 || !called.isEmpty
    if isAboutCall, action != nil { throw ValidationError("of an action only --caller, --at and --in-call matter") }
  }

  func run() throws {
    let policy = try PolicyFile.readOrFail(path: self.policy)
    if let action {
      let request = ExplainedAction(caller: caller, time: time, name: action, isInCall: inCall)
      return try request.explain(policy, isJSON: json)
    }
    let identity = try caller.identity()
    let evaluation = policy.evaluate(try request(identity), in: circumstances(for: policy))
    var explanation = PolicyExplanation(evaluation, caller: identity.userID)
    explanation.note = identity.note
    explanation.time = time.at?.milliseconds
    try explanation.show(isJSON: json, lines: evaluation.lines)
  }

  private func request(_ identity: ExplainedCaller.Identity) throws -> CallRequest {
    CallRequest(
      callerID: identity.userID, callerRole: identity.role ?? .user, callerGroups: identity.groups,
      isAudio: audio || !video, isVideo: video || !audio,
      distance: try distance.map { try quantity("--distance", $0, ConfigQuantity.distance) })
  }

  private func circumstances(for policy: CallPolicy) -> CallCircumstances {
    CallCircumstances(
      callsUp: callsUp, recentCalls: called.map { .seconds(max(0, Int64(Glibc.time(nil)) - $0.seconds)) },
      localTimes: time.localTimes(in: policy.timeZones))
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

  func explain(_ policy: CallPolicy, isJSON: Bool) throws {
    let (requester, note) = try requester()
    let request = ActionRequest(action: name, requester: requester, isInCall: isInCall)
    let evaluation = policy.actions.evaluate(request, localTimes: time.localTimes(in: policy.timeZones))
    var explanation = PolicyExplanation(evaluation, caller: "\(requester)")
    explanation.note = note
    explanation.time = time.at?.milliseconds
    try explanation.show(isJSON: isJSON, lines: evaluation.lines)
  }

  private func requester() throws -> (ActionRequester, note: String?) {
    if caller.caller == "local" { return (.local, nil) }
    let identity = try caller.identity()
    // The hub reports neither for a user whom the device has called.
    let groups = identity.role == nil && identity.groups.isEmpty ? nil : identity.groups
    return (.party(ActionParty(userID: identity.userID, role: identity.role, groups: groups)), identity.note)
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
