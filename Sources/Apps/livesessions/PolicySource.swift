import ArgumentParser
import CallPolicy
import ControlMessages
import DeviceConfiguration
import SystemSupport

/// Which policy is explained.
struct PolicySource: ParsableArguments {
  @Option(help: ArgumentHelp("Explain this policy file, in place of what is in force.", valueName: "path"))
  var policy: String?
  @OptionGroup var configuration: ConfigurationOption

  func validate() throws {
    if policy != nil, configuration.config != nil { throw ValidationError("name --policy or --config, not both") }
  }

  /// The file that is named; with a configuration, the policy beside it.
  var namedPath: String? {
    policy
      ?? configuration.config.map { path in
        switch ConfiguredFile(path: path) {
        case .policy: path
        case .device: ConfiguredFile.policyPath(beside: path)
        }
      }
  }

  /// Has the running daemon's policy decide, or that of the file: where one is named, or no daemon of this version runs.
  func explain(
    _ question: PolicyExplainParameters, among connection: ConnectionOptions
  ) throws -> (reply: PolicyExplainReply, note: String) {
    if let namedPath { return try explain(question, by: namedPath, because: nil) }
    do throws(ControlClientError) {
      var client = try ControlClient(path: connection.path)
      var reply = try client.call(.policyExplain, question)
      reply.explanation.source = "daemon"
      return (reply, "policy: in force at the daemon")
    } catch {
      switch error {
      case .notRunning, .permissionDenied, .incompatible, .timedOut, .disconnected, .system:
        return try explain(question, by: connection.instance.policyPath, because: error)
      case .refused, .malformedReply: throw Failure(error).reported()
      }
    }
  }

  private func explain(
    _ question: PolicyExplainParameters, by path: String, because failure: ControlClientError?
  ) throws -> (reply: PolicyExplainReply, note: String) {
    let policy = try PolicyFile.readOrFail(path: path)
    let localTimes =
      question.time.map { PolicyClock.localTimes(in: policy.timeZones, at: $0 / 1_000, isClockTrusted: true) }
      ?? PolicyClock.localTimes(in: policy.timeZones)
    do throws(DeviceControlError) {
      var reply = try question.explained(by: policy, callsUp: 0, localTimes: localTimes)
      reply.explanation.source = path
      return (reply, "policy: \(path)" + (failure.map { "; \($0.description)" } ?? ""))
    } catch {
      throw Failure(error.description).reported()
    }
  }
}
