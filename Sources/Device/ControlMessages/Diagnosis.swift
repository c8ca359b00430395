/// The result of checking one part.
public struct Finding: Sendable, Hashable, Codable {
  public enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
    case ok
    /// The device works, but not fully, or not everything could be checked.
    case warning
    /// Something does not work.
    case failure
  }

  /// What was checked; the raw values are an interface to other programs.
  public enum Part: String, Sendable, Hashable, Codable, CaseIterable {
    case daemon, configuration, policy, permissions, clock, camera, microphone, speaker, echo, archives, position, hub,
      network, buttons, actions, upload, state
    case eventSources = "event-sources"
    case eventRules = "event-rules"
  }

  public var part: Part
  public var verdict: Verdict
  /// What was found, as text.
  public var text: String
  /// What to do about it; nil where nothing is, or `text` says it.
  public var remedy: String?

  public init(_ part: Part, _ verdict: Verdict, _ text: String, remedy: String? = nil) {
    self.part = part
    self.verdict = verdict
    self.text = text
    self.remedy = remedy
  }
}

/// What `livesessions doctor` has the daemon's program check, which runs for that alone.
public struct DiagnosisRequest: Sendable, Hashable, Codable {
  public var configurationPath: String
  public var policyPath: String
  /// The control socket; nil takes the one that the configuration names.
  public var socket: String?
  /// The user that the daemon runs as; nil is the packages' user if there is one, else the caller.
  public var user: String?

  public init(configurationPath: String, policyPath: String, socket: String? = nil, user: String? = nil) {
    self.configurationPath = configurationPath
    self.policyPath = policyPath
    self.socket = socket
    self.user = user
  }
}

/// What was found; its keys are an interface to other programs.
public struct DiagnosisReport: Sendable, Hashable, Codable {
  public var findings: [Finding]

  public init(findings: [Finding]) { self.findings = findings }

  /// Whether nothing fails.
  public var isGood: Bool { !findings.contains { $0.verdict == .failure } }
}
