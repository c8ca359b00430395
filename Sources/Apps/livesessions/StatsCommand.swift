import ArgumentParser
import ControlMessages
import Glibc

struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Shows the figures of calls, video, audio, recordings, disk and machine.",
    discussion: """
      Counts are since the daemon's start. With --watch the figures are shown repeatedly, every two \
      seconds or every INTERVAL, until interrupted.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Show them repeatedly.") var watch = false
  @Argument(
    help: "The time between two, with --watch, \(SpanExpression.examples).", transform: SpanExpression.parse)
  var interval: SpanExpression?
  @Flag(help: "Print JSON, with --watch one object a line.") var json = false

  func validate() throws {
    guard let interval else { return }
    guard watch else { throw ValidationError("an interval is for --watch") }
    guard (.milliseconds(100) ... .seconds(86_400)).contains(interval.duration) else {
      throw ValidationError("an interval is 0.1 to 86400 seconds")
    }
  }

  func run() throws {
    try show()
    while watch {
      poll(nil, 0, pause)
      try show()
    }
  }

  /// Milliseconds between two times. A day's fit; the microseconds of `usleep` would end at 71 minutes.
  var pause: CInt { CInt((interval?.duration ?? .seconds(2)) / .milliseconds(1)) }

  private func show() throws {
    let figures = try connection.withClient { client throws(ControlClientError) in
      try client.call(.getTelemetry).telemetry
    }
    if json { return try Output.printJSON(figures) }
    if watch { Output.beginScreen() }
    Output.printTable(StatsText(figures).rows)
  }
}
