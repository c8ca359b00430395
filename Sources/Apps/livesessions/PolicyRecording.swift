import ArgumentParser
import CallPolicy
import DeviceConfiguration

struct PolicyRecording: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recording",
    abstract: "Shows whether an operator at the hub may start a manual recording.",
    discussion: "The hub accepts this from operators only. Ends with status 1 when the operator may not.")

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
    let permissions = try source.read().recording
    // The role of an online user is unknown unless it is a device.
    let identity = try ExplainedCaller.Identity(operatorName, role: nil, groups: group, among: connection)
    let explanation = RecordingExplanation(permissions, of: identity)
    if json { try Output.printJSON(explanation) } else { explanation.show() }
    if !explanation.isAllowed { throw ExitCode.failure }
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

  var isAllowed: Bool { decision == "allow" }

  /// - Parameter identity: is taken for an operator where its role is not known.
  init(_ permissions: RecordingPermissions, of identity: ExplainedCaller.Identity) {
    let role = identity.role ?? .operator
    let reasons = permissions.reasons(for: identity.userID, role, identity.groups)
    switch role {
    case .operator where !reasons.isEmpty:
      decision = "allow"
      text = "may have the device record: \(reasons.map(\.description).joined(separator: ", ")) in [recording]"
    case .operator:
      decision = "refuse"
      text = "no recording: \(permissions.allowed.isEmpty ? "no one is allowed" : "not among allowed") in [recording]"
    case .user, .device, .anonymous, .guest:
      decision = "refuse"
      text = "no recording: the hub lets operators alone ask"
    }
    (caller, note) = (identity.userID, identity.note)
  }

  func show() {
    if let note { Output.printLine("operator: \(note)") }
    Output.printStyled(text, isAllowed ? .good : .caution)
  }
}
