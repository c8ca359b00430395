public import CallPolicy
public import ConfigFile

/// What a reload puts in force: both files read and checked as a whole, before anything changes.
///
/// A plan only exists where neither file has a mistake. What it holds can be applied as it is: what the running daemon has
/// no camera, sound or line for is left out, and named in ``notices``.
public struct ReloadPlan: Sendable {
  /// The mistakes of the files, those of the policy first; what was in force stays so.
  public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// One a file.
    public let errors: [ConfigErrors]

    /// One line an error, with file and line.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
  }

  public let policy: CallPolicy
  /// That with which the daemon was started, but for what a reload may change.
  public let configuration: DeviceConfiguration
  /// What is in the files and takes effect after a restart; a line each.
  public let notices: [String]

  /// Reads both files.
  ///
  /// - Parameter started: with which the daemon was started.
  public init(policyPath: String, configurationPath: String, started: DeviceConfiguration) throws(Refusal) {
    // Cameras that were added meanwhile take effect after a restart.
    let policy = Result { () throws(ConfigErrors) in
      try PolicyFile.read(path: policyPath, cameras: started.viewNames)
    }
    let fresh = Result { () throws(ConfigErrors) in try DeviceConfiguration(path: configurationPath) }
    switch (policy, fresh) {
    case (.success(let policy), .success(let fresh)): self.init(policy, fresh, started: started)
    case (.failure(let errors), .success), (.success, .failure(let errors)): throw Refusal(errors: [errors])
    case (.failure(let first), .failure(let second)): throw Refusal(errors: [first, second])
    }
  }

  /// - Parameter fresh: as the file has it now.
  init(_ policy: CallPolicy, _ fresh: DeviceConfiguration, started: DeviceConfiguration) {
    var effective = started
    DeviceConfiguration.sections.reload(fresh, into: &effective)
    effective.adoptPrograms(of: fresh)
    var running = started
    running.adoptPrograms(of: fresh)
    var notices = [Self.waiting(fresh, running)]
    notices.append(Self.leaveOutUnserved(&effective.plans, started))
    notices.append(Self.leaveOutUnfed(&effective.events, started))
    self.policy = policy
    configuration = effective
    self.notices = notices.compactMap(\.self)
  }

  private static func waiting(_ fresh: DeviceConfiguration, _ started: DeviceConfiguration) -> String? {
    var waiting = DeviceConfiguration.sections.waiting(started, fresh)
    // Positions come from gpsd only if the daemon was started with it.
    if fresh.location.gpsd != nil, started.location.gpsd == nil { waiting.append("positions of gpsd") }
    return waiting.isEmpty ? nil : "takes effect after a restart: \(waiting.joined(separator: ", "))"
  }

  /// Those whose video or audio takes a restart.
  private static func leaveOutUnserved(_ plans: inout [PlanSettings], _ started: DeviceConfiguration) -> String? {
    let names = names(plans.filter { !started.serves($0) }.map(\.name))
    plans.removeAll { !started.serves($0) }
    return names.map { "the plans \($0) take effect after a restart: what they record is not there before" }
  }

  /// Those whose inputs take a restart.
  private static func leaveOutUnfed(_ events: inout EventSettings, _ started: DeviceConfiguration) -> String? {
    let names = names(events.sources.filter { !started.feeds($0) }.map(\.name))
    events.sources.removeAll { !started.feeds($0) }
    return names.map {
      "events of \($0) are noticed after a restart: what these sources need is not there before"
    }
  }

  private static func names(_ names: [String]) -> String? {
    names.isEmpty ? nil : names.map { "\"\($0)\"" }.joined(separator: ", ")
  }
}
