import ArgumentParser
import CallPolicy
import ControlMessages

struct PolicyOutgoing: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outgoing",
    abstract: "Shows whether the device may call a user, and how such a call is made.",
    discussion: """
      The running daemon is asked, whose policy in force decides; with --policy or --config, or without a daemon, the file. \
      Ends with status 1 when it may not.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(
    help: "A title of a user who is online (livesessions users), or user:ID.", completion: Completions.titles)
  var receiver: String
  @OptionGroup var source: PolicySource
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let (userID, understanding) = try user()
    var question = PolicyExplainParameters(caller: userID)
    question.isOutgoing = true
    let (reply, policy) = try source.explain(question, among: connection)
    if json {
      try Output.printJSON(OutgoingExplanation(reply.explanation, note: understanding))
    } else {
      reply.explanation.showPermission(
        policy: source.namedPath == nil ? policy : nil, note: understanding.map { "receiver: \($0)" })
    }
    if !reply.explanation.isAllowed { throw ExitCode.failure }
  }

  private func user() throws -> (id: String, note: String?) {
    switch CallerPattern(receiver) {
    case .user(let userID)?: return (userID, nil)
    case .group?, .role?: throw ValidationError("a call goes to one user: user:ID, a title or an id")
    case nil:
      let user = try NamedUser(receiver, among: connection)
      return (user.userID, user.note)
    }
  }
}

extension PolicyExplanation {
  var isAllowed: Bool { decision == "allow" }

  /// Prints what is allowed or not, for people.
  ///
  /// - Parameters:
  ///   - policy: which one was asked; nil where the user has named it.
  ///   - note: how a name was understood.
  func showPermission(policy: String?, note: String?) {
    if let policy { Output.printLine(policy) }
    if let note { Output.printLine(note) }
    Output.printStyled(text, isAllowed ? .good : .caution)
  }
}

/// What `livesessions policy outgoing --json` prints: keys are an interface to other programs.
private struct OutgoingExplanation: Encodable {
  /// `allow` or `refuse`.
  var decision: String
  /// Why, and how a call is made, as text.
  var text: String
  /// The id of the user that was checked.
  var receiver: String
  /// How the receiver's name was understood.
  var note: String?
  /// `daemon`, or the path of the policy's file.
  var source: String?

  init(_ explanation: PolicyExplanation, note: String?) {
    (decision, text, receiver) = (explanation.decision, explanation.text, explanation.caller)
    (self.note, source) = (note, explanation.source)
  }
}
