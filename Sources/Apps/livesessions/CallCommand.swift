import ArgumentParser
import ControlMessages
import Glibc

struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Calls a user who is online, as a doorbell's button does.",
    discussion: """
      Prints the session's id, with which livesessions hangup ends the call. With --wait the exit code shows what became \
      of it: 0 answered, 3 not answered, 4 rejected, 5 not online, 1 anything else. The call continues when the command \
      ends.

      Several users are called one after the other until one answers, or with --hunt all-at-once together; then "call" is \
      printed, under which status shows how far that has come. A user may be written user:ID, and need not be online then.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "Users' ids or titles, as users shows them, at most 16.", completion: Completions.titles) var users:
    [String]
  @Option(help: "in-turn or all-at-once, where there are several.") var hunt: HuntOrder?
  @Option(
    help: "How long it rings at each, 1 to 60 s, \(SpanExpression.examples); 20 s without it.",
    transform: SpanExpression.parse)
  var ringFor: SpanExpression?
  @Flag(help: "Without video, even if the device has a camera.") var audioOnly = false
  @Flag(help: "Wait until the call is answered, or is over.") var wait = false

  func validate() throws {
    guard (1...16).contains(users.count) else { throw ValidationError("name 1 to 16 users") }
    guard (1...60).contains(ringFor?.duration.components.seconds ?? 1) else {
      throw ValidationError("--ring-for is 1 to 60 seconds")
    }
  }

  func run() throws {
    let isHunt = users.count > 1 || hunt != nil || ringFor != nil
    return isHunt ? try callSeveral() : try callOne(users[0])
  }

  private func callOne(_ user: String) throws {
    let parameters = CallParameters(user: user, media: audioOnly ? .audio : nil)
    do {
      var client = try ControlClient(path: connection.path)
      if wait { return try follow(parameters, &client) }
      Output.printLine(try client.call(.call, parameters).sessionID)
    } catch let error as ControlClientError {
      throw failure(error).reported()
    }
  }

  private func follow(_ parameters: CallParameters, _ client: inout ControlClient) throws {
    var last: DeviceEvent?
    try client.follow(.call, parameters) { reply in
      guard let event = reply.event else {
        Output.printLine(reply.sessionID)
        return true
      }
      last = event
      Self.showProgress(event)
      return event.name != "call.answered"
    }
    guard let last else { throw Failure(.disconnected).reported() }
    if last.name != "call.answered" { throw Self.failure(last).reported() }
  }

  private func callSeveral() throws {
    let parameters = HuntParameters(
      users: users, order: hunt?.order, ringFor: ringFor.map { Int($0.duration.components.seconds) },
      media: audioOnly ? .audio : nil)
    do {
      var client = try ControlClient(path: connection.path)
      if wait { return try follow(parameters, &client) }
      Output.printLine(try client.call(.hunt, parameters).hunt)
    } catch let error as ControlClientError {
      throw failure(error).reported()
    }
  }

  private func follow(_ parameters: HuntParameters, _ client: inout ControlClient) throws {
    var last: DeviceEvent?
    try client.follow(.hunt, parameters) { reply in
      last = reply.event
      Output.printLine(reply.event.map { Self.progress($0) } ?? reply.hunt)
      return last?.name != "hunt.answered"
    }
    guard let last else { throw Failure(.disconnected).reported() }
    if last.name == "hunt.answered" { return }
    throw Failure(last.text ?? "no answer", code: CallOutcome.unanswered.rawValue).reported()
  }

  private static func progress(_ event: DeviceEvent) -> String {
    event.name == "hunt.answered" ? "\(event.text ?? "the called party") has answered" : event.text ?? event.name
  }

  private static func showProgress(_ event: DeviceEvent) {
    let name = event.text ?? ""
    switch event.name {
    case "call.calling": Output.printLine("calling \(name)")
    case "call.ringing": Output.printLine("\(name) is being rung")
    case "call.answered": Output.printLine("\(name) has answered")
    default: break
    }
  }

  private func failure(_ error: ControlClientError) -> Failure {
    guard case .refused(.noSuchUser(let name)) = error else { return Failure(error) }
    let closest = NamedUser.onlineUsers(connection).flatMap { NamedUser.closestTitle(to: name, among: $0) }
    let suggestion = closest.map { "; did you mean \"\($0)\"?" } ?? ""
    return Failure(error.description + suggestion, code: CallOutcome.notOnline.rawValue)
  }

  private static func failure(_ event: DeviceEvent) -> Failure {
    guard event.endsCall else { return Failure(.disconnected) }
    let reason = event.text ?? ""
    return Failure(CallOutcome.text(for: reason), code: CallOutcome(event).rawValue)
  }
}

/// How several are called.
enum HuntOrder: String, ExpressibleByArgument, CaseIterable {
  case inTurn = "in-turn"
  case allAtOnce = "all-at-once"

  var order: ControlHuntOrder { self == .inTurn ? .inTurn : .allAtOnce }
}
