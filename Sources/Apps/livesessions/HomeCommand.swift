import ArgumentParser
import ControlMessages

struct HomeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "home", abstract: "Sets or shows whether someone is at home.",
    discussion: "Rules about events may depend on it (home in [[event_rule]]). It is kept until changed.")

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
