import ArgumentParser
import CommandSuggestions
import Foundation
import HubCore
import HubHTTP
import SafeText

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how the running hub is; exits with 1 when it cannot be asked, or its nodes cannot reach Redis.")

  @OptionGroup var options: HubOptions

  @Option(help: "The hub's status socket, instead of the configuration's.")
  var socket: String?

  @Flag(help: "Print JSON.") var json = false

  func run() async throws {
    try await reportingFailures {
      let path = try socket ?? options.loadConfiguration().statusSocket ?? HubConfiguration.serviceStatusSocket
      let data = try StatusClient(path: path).read()
      guard let status = try? JSONDecoder().decode(HubStatus.self, from: data) else {
        throw Failure("\(path): what answers there is no hub of this version")
      }
      if json {
        StandardOutput.printLine(
          String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines).escapingControlsInJSON)
      } else {
        StandardOutput.printLine(
          StatusText(status).text.split(separator: "\n").map { String($0).escapingControls }.joined(separator: "\n"))
      }
      if let problem = status.shared.problem { throw Failure(problem) }
    }
  }
}
