import ArgumentParser
import CallPolicy
import ControlMessages

struct PolicyRecording: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recording",
    abstract: "Shows whether an operator at the hub may start a manual recording.",
    discussion: """
      The hub accepts this from operators only. The running daemon is asked, whose policy in force decides; with --policy \
      or --config, or without a daemon, the file. Ends with status 1 when the operator may not.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(
    help: """
      A title of a user who is online (livesessions users), user:ID, or group:NAME or role:NAME for an operator who has \
      it.
      """, completion: Completions.titles)
  var operatorName: String
  @Option(help: "A group of the operator; may be repeated.") var group: [String] = []
  @OptionGroup var source: PolicySource
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard CallerPattern(operatorName) == nil, operatorName.contains(":") || operatorName.isEmpty else { return }
    throw ValidationError("an operator is user:ID, group:NAME, role:NAME or a title")
  }

  func run() throws {
    // The role of an online user is unknown unless it is a device.
    let identity = try ExplainedCaller.Identity(operatorName, role: nil, groups: group, among: connection)
    var question = PolicyExplainParameters(caller: identity.userID)
    (question.role, question.groups, question.isRecording) = (identity.role?.rawValue, identity.groups, true)
    let (reply, policy) = try source.explain(question, among: connection)
    if json {
      try Output.printJSON(RecordingExplanation(reply.explanation, note: identity.note))
    } else {
      reply.explanation.showPermission(
        policy: source.namedPath == nil ? policy : nil, note: identity.note.map { "operator: \($0)" })
    }
    if !reply.explanation.isAllowed { throw ExitCode.failure }
  }
}

/// What `livesessions policy recording --json` prints: keys are an interface to other programs.
private struct RecordingExplanation: Encodable {
  /// `allow` or `refuse`.
  var decision: String
  /// Why, as text.
  var text: String
  /// The id of the user that was checked.
  var caller: String
  /// How the operator's name was understood.
  var note: String?
  /// `daemon`, or the path of the policy's file.
  var source: String?

  init(_ explanation: PolicyExplanation, note: String?) {
    (decision, text, caller) = (explanation.decision, explanation.text, explanation.caller)
    (self.note, source) = (note, explanation.source)
  }
}
