import ArgumentParser
import ControlMessages
import Glibc

struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Calls somebody who is online, as a doorbell's button does.",
    discussion: """
      Prints the session's id, with which livesessions hangup ends the call. With --wait the exit code tells what became \
      of it: 0 answered, 3 nobody answered, 4 rejected, 5 not online, 1 anything else. The call goes on when the command \
      ends.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The user's id or title, as users shows it.") var user: String
  @Flag(help: "Without pictures, whatever the device has.") var audioOnly = false
  @Flag(help: "Wait until the call is answered, or is over.") var wait = false

  func run() throws {
    let parameters = CallParameters(user: user, media: audioOnly ? .audio : nil)
    do {
      var client = try ControlClient(path: connection.path)
      if wait { return try follow(parameters, &client) }
      Output.printLine(try client.call(.call, parameters, as: CallReply.self).sessionID)
    } catch let error as ControlClientError {
      throw Self.failure(error).reported()
    }
  }

  private func follow(_ parameters: CallParameters, _ client: inout ControlClient) throws {
    var last: DeviceEvent?
    try client.follow(.call, parameters, as: CallReply.self) { reply in
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

  private static func showProgress(_ event: DeviceEvent) {
    let name = event.text ?? ""
    switch event.name {
    case "call.calling": Output.printLine("calling \(name)")
    case "call.ringing": Output.printLine("\(name) is being rung")
    case "call.answered": Output.printLine("\(name) has answered")
    default: break
    }
  }

  private static func failure(_ error: ControlClientError) -> Failure {
    if case .refused(.noSuchUser) = error { return Failure(error.description, code: CallOutcome.notOnline.rawValue) }
    return Failure(error)
  }

  private static func failure(_ event: DeviceEvent) -> Failure {
    guard event.endsCall else { return Failure(.disconnected) }
    let reason = event.text ?? ""
    return Failure(CallOutcome.words(for: reason), code: CallOutcome(event).rawValue)
  }
}
