import Foundation

/// Devices and people of one hub, in one process: prints what was measured as one JSON object a phase.
///
/// Usage: hub-load --target HOST:PORT --accounts FILE [--process NAME=PID] [option value]…
@main
struct HubLoad {
  static func main() {
    do {
      let options = try LoadOptions(Array(CommandLine.arguments.dropFirst()))
      let workload = try Workload(options)
      for phase in options.phases { try run(phase, workload) }
    } catch let error as UsageError {
      fail(error.reason, status: 2)
    } catch {
      fail("\(error)", status: 1)
    }
  }

  private static func run(_ phase: String, _ workload: Workload) throws {
    let meter = UsageMeter(workload.options.processes)
    let options = workload.options
    switch phase {
    case "login": try workload.logIn()
    case "streams":
      try workload.openAllStreams()
      try report("streams", workload, meter)
      let announcing = UsageMeter(options.processes)
      try workload.announceAll()
      return try report("announcements", workload, announcing)
    case "idle": workload.rest()
    case "updates": try workload.saturate { workload.nextUpdate() }
    case "nearby": try workload.saturate { workload.nextNearby() }
    case "healthz": try workload.saturate { workload.population.healthz() }
    case "calls":
      try workload.pace([
        PacedSource(perSecond: options.callsPerMinute / 60) { workload.nextCall() },
        PacedSource(perSecond: options.nearbyPerSecond) { workload.nextNearby() },
        PacedSource(perSecond: options.backgroundUpdates) { workload.nextUpdate() },
      ])
    default: throw UsageError("unknown phase \(phase)")
    }
    try report(phase, workload, meter)
  }

  private static func report(_ phase: String, _ workload: Workload, _ meter: UsageMeter) throws {
    let calls = workload.calls
    let found = PhaseReport(
      phase: phase, seconds: meter.elapsed, users: workload.population.users.count, streams: workload.openStreams,
      endedStreams: workload.endedStreams,
      latencies: Dictionary(
        uniqueKeysWithValues: workload.tally.latencies.compactMap { kind, latencies in
          latencies.summary.map { (kind.rawValue, $0) }
        }),
      refusals: workload.tally.refusals, lostConnections: workload.pool.failures, finishedCalls: calls.finished,
      offerToEvent: calls.offerToEvent.summary, answerToEvent: calls.answerToEvent.summary,
      endToEvent: calls.endToEvent.summary, usage: meter.reading)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(found), as: UTF8.self))
    fflush(nil)
  }
}

private struct PhaseReport: Encodable {
  var phase: String
  var seconds: Double
  var users: Int
  var streams: Int
  var endedStreams: Int
  /// Milliseconds from a request to its answer, by kind.
  var latencies: [String: Latencies.Summary]
  var refusals: [String: Int]
  var lostConnections: Int
  var finishedCalls: Int
  var offerToEvent: Latencies.Summary?
  var answerToEvent: Latencies.Summary?
  var endToEvent: Latencies.Summary?
  var usage: [String: UsageMeter.Reading]
}

func fail(_ error: any Error) -> Never { fail("\(error)", status: 1) }

private func fail(_ reason: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("hub-load: \(reason)\n".utf8))
  exit(status)
}
