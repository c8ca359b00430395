import ArgumentParser
import CallPolicy
import DeviceConfiguration

struct PolicyOutgoing: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outgoing",
    abstract: "Shows whether the device may call a user, and how such a call is made.",
    discussion: "Ends with status 1 when it may not.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(
    help: "A title of a user who is online (livesessions users), or user:ID.", completion: Completions.titles)
  var receiver: String
  @OptionGroup var source: PolicySource
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let settings = try source.read().outgoing
    let explanation = try explanation(settings)
    if json { try Output.printJSON(explanation) } else { explanation.show() }
    if !settings.permits(explanation.receiver) { throw ExitCode.failure }
  }

  private func explanation(_ settings: OutgoingSettings) throws -> OutgoingExplanation {
    switch CallerPattern(receiver) {
    case .user(let userID)?: return OutgoingExplanation(settings, receiver: userID)
    case .group?, .role?: throw ValidationError("a call goes to one user: user:ID, a title or an id")
    case nil:
      let user = try NamedUser(receiver, among: connection)
      return OutgoingExplanation(settings, receiver: user.userID, note: user.note)
    }
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

  init(_ settings: OutgoingSettings, receiver: String, note: String? = nil) {
    let isAllowed = settings.permits(receiver)
    decision = isAllowed ? "allow" : "refuse"
    text = isAllowed ? "call: \(settings)" : Self.refusal(settings.receivers)
    self.receiver = receiver
    self.note = note
  }

  private static func refusal(_ receivers: OutgoingSettings.Receivers) -> String {
    switch receivers {
    case .noOne: "no call: allowed in [outgoing] is false"
    case .anyone, .users: "no call: not among allowed in [outgoing]"
    }
  }

  func show() {
    if let note { Output.printLine("receiver: \(note)") }
    Output.printStyled(text, decision == "allow" ? .good : .caution)
  }
}
