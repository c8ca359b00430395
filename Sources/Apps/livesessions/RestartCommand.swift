import ArgumentParser
import ControlMessages
import Glibc
import RealtimeRuntime
import SystemSupport

struct RestartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "Restarts the daemon's service; with --when-idle as soon as that interrupts no one.",
    discussion: """
      A call, a search for someone who answers, and a recording that was started manually are waited for, and named. \
      Recordings of plans are not: they continue in a new archive. After --within nothing is restarted and the status is \
      1, unless --anyway is given. A call that begins in the moment of the restart is ended by it.
      """)

  /// Between two looks at the daemon, in microseconds.
  private static let pause: UInt32 = 2_000_000
  /// The service gets 30 s to stop, and as long to start.
  private static let restartLimit = Duration.seconds(90)

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Wait until there is neither call nor manual recording.") var whenIdle = false
  @Option(
    help: ArgumentHelp("With --when-idle: how long at most. (default: 1h)", valueName: "span"),
    transform: SpanExpression.parse)
  var within: SpanExpression?
  @Flag(help: "With --when-idle: restart after that time all the same.") var anyway = false

  func validate() throws {
    if !whenIdle, within != nil || anyway { throw ValidationError("--within and --anyway belong to --when-idle") }
  }

  func run() throws {
    if whenIdle { try waitUntilIdle() }
    let command = ["/usr/bin/systemctl", "restart", connection.instance.unit]
    let process = ChildProcess(command: command, environment: nil, timeout: Self.restartLimit)
    do {
      let outcome = try process.run(.init(output: STDOUT_FILENO, error: STDERR_FILENO))
      if let failure = outcome.failure { throw Failure("\(command.joined(separator: " ")): \(failure)").reported() }
    } catch let failure as ChildProcess.StartFailure {
      throw Failure("\(failure)").reported()
    }
    Output.printLine("\(connection.instance.unit) was restarted")
  }

  private func waitUntilIdle() throws {
    let clock = ContinuousClock()
    let deadline = clock.now + (within?.duration ?? .seconds(3_600))
    var said: [String] = []
    while let obstacles = try obstacles(), !obstacles.isEmpty {
      guard clock.now < deadline else {
        let text = "after the time of --within: \(obstacles.joined(separator: ", "))"
        guard anyway else { throw Failure("not restarted \(text)").reported() }
        return Output.printLine("restarts \(text)")
      }
      if obstacles != said { Output.printLine("waits for: \(obstacles.joined(separator: ", "))") }
      said = obstacles
      usleep(Self.pause)
    }
  }

  /// What a restart would interrupt; nil where no daemon answers that could be interrupted.
  private func obstacles() throws -> [String]? {
    do throws(ControlClientError) {
      var client = try ControlClient(path: connection.path)
      let status = try client.call(.status).status
      return status.calls + (try manualRecordings(status, &client))
    } catch {
      switch error {
      case .notRunning, .timedOut, .disconnected: return nil
      case .permissionDenied, .refused, .incompatible, .malformedReply, .system: throw Failure(error).reported()
      }
    }
  }

  private func manualRecordings(
    _ status: DeviceStatus, _ client: inout ControlClient
  ) throws(ControlClientError) -> [String] {
    var texts: [String] = []
    for recording in status.recordings where recording.sessionID == nil {
      let detail = try client.call(.archiveShow, OneArchiveParameters(archiveID: recording.archiveID)).detail
      if detail.plans?.isEmpty != false { texts.append("manual recording \(recording.archiveID)") }
    }
    return texts
  }
}

extension DeviceStatus {
  fileprivate var calls: [String] {
    sessions.map { session in
      let party = session.receiverTitle.map { "call to \($0)" } ?? "call with \(session.callerTitle)"
      return "\(party), \(session.state)"
    } + (hunts ?? []).filter { $0.state == "calling" }.map { "call of several, \($0.name)" }
  }
}
