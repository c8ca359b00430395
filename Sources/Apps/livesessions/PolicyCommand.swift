import ArgumentParser
import CallPolicy
import ConfigFile
import DeviceConfiguration
import FoundationEssentials

struct PolicyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy", abstract: "Explains which calls the device answers.", subcommands: [PolicyExplain.self])
}

struct PolicyExplain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Shows which rule decides about a call, and why those above it do not.")

  @Option(help: "The caller, as user:ID.") var caller: String
  @Option(help: "The caller's role at the hub: operator, user, device or anonymous.") var role = "user"
  @Option(help: "A group of the caller; may be repeated.") var group: [String] = []
  @Flag(help: "The caller asks for sound; without this and --video for both.") var audio = false
  @Flag(help: "The caller asks for pictures.") var video = false
  @Option(help: "How far away the caller is, such as 3km.") var distance: String?
  @Option(help: "How many calls are up.") var callsUp = 0
  @Option(help: "An earlier call of the caller, such as 5m ago; may be repeated.") var called: [String] = []
  @Option(help: "The time of the call, such as 2026-11-21T20:14:00Z; now without it.") var at: String?
  @Option(help: "The policy's file.") var policy = PolicyFile.defaultPath

  func run() throws {
    let request = try request()
    let policy: CallPolicy
    do {
      policy = try PolicyFile.read(path: self.policy)
    } catch {
      throw Failure(error.description, code: Failure.configuration).reported()
    }
    for line in policy.evaluate(request, in: try circumstances(for: policy)).lines { Output.printLine(line) }
  }

  private func request() throws -> CallRequest {
    guard case .user(let userID)? = CallerPattern(caller) else {
      throw ValidationError("--caller must be user: and an id")
    }
    guard let role = CallerRole(rawValue: role) else {
      throw ValidationError("--role must be one of \(CallerRole.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return CallRequest(
      callerID: userID, callerRole: role, callerGroups: group, isAudio: audio || !video, isVideo: video || !audio,
      distance: try distance.map { try quantity("--distance", $0, ConfigQuantity.distance) })
  }

  private func circumstances(for policy: CallPolicy) throws -> CallCircumstances {
    CallCircumstances(
      callsUp: callsUp, recentCalls: try called.map { try age($0) },
      localTimes: try localTimes(for: policy))
  }

  /// `5m ago`, or `5m`.
  private func age(_ text: String) throws -> Duration {
    let span = text.hasSuffix(" ago") ? String(text.dropLast(4)) : text
    return try quantity("--called", span, ConfigQuantity.duration)
  }

  private func localTimes(for policy: CallPolicy) throws -> [PolicyTimeZone: LocalTime] {
    guard let at else { return PolicyClock.localTimes(for: policy) }
    guard let date = try? Date(at, strategy: .iso8601) else {
      throw ValidationError("--at must be a time such as 2026-11-21T20:14:00Z")
    }
    return PolicyClock.localTimes(
      in: policy.timeZones, at: Int64(exactly: date.timeIntervalSince1970.rounded(.down)) ?? 0, isClockTrusted: true)
  }

  private func quantity<Value>(
    _ option: String, _ text: String, _ parse: (String) throws(ConfigValueError) -> Value
  ) throws -> Value {
    do {
      return try parse(text)
    } catch {
      throw ValidationError("\(option): \(error.problem)")
    }
  }
}
