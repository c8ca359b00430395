import ArgumentParser
import ControlMessages

struct HomeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "home", abstract: "Tells the device whether somebody is at home, or shows what it takes for true.",
    discussion: "Rules about events may look at it (home in [[event_rule]]). It is kept until it is told otherwise.")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "yes or no; without it, what holds is shown.") var isHome: YesOrNo?

  func run() throws {
    if let isHome { return try connection.perform(.setHome, SetHomeParameters(isHome: isHome == .yes)) }
    let status = try connection.withClient { client throws(ControlClientError) in
      try client.call(.status).status
    }
    Output.printLine(status.isHome == true ? YesOrNo.yes.rawValue : YesOrNo.no.rawValue)
  }
}
