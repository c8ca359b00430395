import MediaCore
import NetworkLoop
import PeerSession

/// The peers of whoever is measured, in a process of their own so that their CPU time stays apart.
///
/// Commands name a viewer by its number: `offer N`, `accept N ANSWER`, `answer N OFFER`, `talk N`, `count N`,
/// `hangup N`, `statistics`.
struct Viewers {
  private let viewers: [Viewer]

  init(address: String, count: String) throws {
    guard let address = TransportAddress(host: address, port: 0), let count = Int(count) else {
      throw UsageError.wrongArguments
    }
    viewers = try (0..<count).map { try Viewer(number: $0, address: address) }
  }

  func run() async { await answerCommands { try await perform($0) } }

  private func perform(_ command: Command) async throws -> String {
    if command.word == "statistics" { return await statistics() }
    guard let number = Int(command.sessionID), viewers.indices.contains(number) else {
      throw CommandError.unknownSession
    }
    let viewer = viewers[number]
    switch command.word {
    case "offer": return line(try await viewer.makeOffer())
    case "accept": try await viewer.accept(answer: command.description)
    case "answer": return line(try await viewer.answer(command.description))
    case "count": return "\(viewer.count)"
    case "talk": try viewer.talk()
    case "hangup": viewer.hangUp()
    default: throw CommandError.unknownCommand
    }
    return ""
  }

  private func statistics() async -> String {
    var lines: [String] = []
    for viewer in viewers {
      if let statistics = await viewer.statistics() { lines.append(statistics.line(named: "\(viewer.number)")) }
    }
    return lines.joined(separator: "\t")
  }
}
