import ArgumentParser
import CommandSuggestions
import CallPolicy
import ControlMessages
import DeviceConfiguration
import EventDetection
import Glibc
import Signalling

struct EventsExplain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Shows what an event would set off, which rule says so, and why those above it do not.",
    discussion: """
      The daemon is asked what would happen now, with all limits. With --at, --home or --config the rules of the \
      configuration's file are checked instead, and recent use is ignored.
      """)

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "The name of the [[event]] or [[geofence]].") var source: String
  @Option(help: "How strong the event is, 0 to 100.") var score = 100
  @OptionGroup var time: ExplainedTime
  @Option(help: ArgumentHelp("Whether someone is at home; no one by default.", valueName: "yes|no")) var home: YesOrNo?
  @OptionGroup var file: ConfigurationOption
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    guard (0...100).contains(score) else { throw ValidationError("--score is 0 to 100") }
  }

  func run() throws {
    let isOfFile = file.config != nil || home != nil || time.at != nil
    let explanation = isOfFile ? try explainFile() : try explainNow()
    if json { return try Output.printJSON(explanation) }
    for line in explanation.lines.dropLast() { Output.printLine(line) }
    if let last = explanation.lines.last {
      Output.printStyled(last, explanation.effects.isEmpty ? .caution : .good)
    }
  }

  private func explainNow() throws -> EventExplanation {
    try connection.withClient { client throws(ControlClientError) in
      try client.call(
        .eventExplain, EventExplainParameters(source: source, score: score)
      ).explanation
    }
  }

  private func explainFile() throws -> EventExplanation {
    let configuration = try DeviceConfiguration.readOrFail(path: file.path(connection.instance))
    let event = try configuration.events.subject(of: source, score: score)
    let policy = EventPolicy(rules: configuration.eventRules.map(\.rule))
    let isHome = home == .yes
    let circumstances = EventCircumstances(isHome: isHome, localTimes: time.localTimes(in: policy.timeZones))
    let evaluation = policy.evaluate(event, in: circumstances)
    return EventExplanation(
      evaluation, of: event, isHome: isHome,
      effects: evaluation.place.map { configuration.eventRules[$0].effects.summary } ?? [])
  }
}

/// How commands write a truth value.
enum YesOrNo: String, ExpressibleByArgument, CaseIterable {
  case yes, no
}

extension EventSettings {
  fileprivate func subject(of name: String, score: Int) throws -> EventSubject {
    guard let source = sources.first(where: { $0.name == name }) else {
      let known = sources.map { "\"\($0.name)\"" }.joined(separator: ", ")
      throw ValidationError(
        "there is no [[event]] or [[geofence]] named \"\(name)\"\(known.isEmpty ? "" : "; there are \(known)")")
    }
    return EventSubject(kind: source.kind, source: name, score: score, camera: source.camera)
  }
}
