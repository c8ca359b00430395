import CallPolicy
import RealtimeRuntime
import ControlMessages
import DeviceConfiguration
import FoundationEssentials
import Signalling

/// A program of a rule: it receives the event as one line of JSON on standard input.
struct EventProgram: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private struct Message: Encodable {
    var device: String
    var rule: String
    var event: DetectedEvent
  }

  private let program: ProgramSettings
  private let device: String

  init(_ program: ProgramSettings, device: String) {
    self.program = program
    self.device = device
  }

  /// Returns when it has ended.
  func run(_ decision: EventRuleEvaluator.Decision) async throws {
    let message = Message(device: device, rule: decision.rule.rule.name, event: decision.event)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let result = try await ProgramRun(
      command: program.command, environment: ["PATH=/usr/bin:/bin"], timeout: program.timeout,
      input: Array(try encoder.encode(message)) + [UInt8(ascii: "\n")]
    ).run()
    guard let failure = result.outcome.failure else { return }
    throw Failure(description: failure + (result.lines.first.map { " (\($0))" } ?? ""))
  }
}
