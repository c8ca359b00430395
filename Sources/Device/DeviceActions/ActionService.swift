public import CallPolicy
public import DeviceConfiguration
public import Logging
public import MediaCore
import RealtimeRuntime
import SystemSupport

/// Does the device's actions for those whom the policy permits, and journals each use, allowed or not.
public actor ActionService {
  /// What surrounds the actions; fakes in tests.
  public struct Environment: Sendable {
    /// CLOCK_MONOTONIC.
    public var now: @Sendable () -> MonotonicInstant
    public var localTimes: @Sendable (CallPolicy) -> [PolicyTimeZone: LocalTime]
    /// Reads a PIN; nil, having logged why, when that cannot be done.
    public var readPIN: @Sendable (ActionRule.PINSource) -> String?
    public var openLine: @Sendable (ActionLine) throws -> any OutputLine
    /// Keeps an image of the moment, for an action of this name; returns at once.
    public var keepImage: @Sendable (String, ActionOutcome) -> Void
    /// Notes whether anyone is at home from now on.
    public var setHome: @Sendable (Bool) async throws -> Void
    /// Begins or ends recording.
    public var setRecording: @Sendable (Bool) async throws -> Void
    public var logger: Logger

    public init(
      logger: Logger, now: @escaping @Sendable () -> MonotonicInstant,
      localTimes: @escaping @Sendable (CallPolicy) -> [PolicyTimeZone: LocalTime],
      readPIN: @escaping @Sendable (ActionRule.PINSource) -> String?,
      openLine: @escaping @Sendable (ActionLine) throws -> any OutputLine = { try ActionLines.open($0) },
      keepImage: @escaping @Sendable (String, ActionOutcome) -> Void = { _, _ in },
      setHome: @escaping @Sendable (Bool) async throws -> Void,
      setRecording: @escaping @Sendable (Bool) async throws -> Void
    ) {
      self.logger = logger
      self.now = now
      self.localTimes = localTimes
      self.readPIN = readPIN
      self.openLine = openLine
      self.keepImage = keepImage
      self.setHome = setHome
      self.setRecording = setRecording
    }
  }

  /// An action as its caller sees it.
  public struct Offer: Sendable, Hashable {
    public var name: String
    public var needsPIN: Bool
    /// See ``DeviceConfiguration/ActionSettings/isProminent``.
    public var isProminent: Bool
  }

  /// One use of an action of this device.
  public struct Use: Sendable, Hashable {
    public var request: ActionRequest
    /// Of the requester's call.
    public var sessionID: String?
    /// Why it was not done; nil if it was.
    public var refusal: ActionRefusal?
  }

  private static let maxPrograms = 4
  private static let maxUnreadUses = 64

  private let environment: Environment
  private let actions: [ActionSettings]
  private let lines: [String: PulsedLine]
  private let policyInForce: Mutex<CallPolicy>
  private var gate = ActionGate()
  private var waits = WaitLog()
  private var runningPrograms: Set<String> = []
  /// For one reader, who loses the oldest when he does not read.
  public nonisolated let uses: AsyncStream<Use>
  private let used: AsyncStream<Use>.Continuation

  private nonisolated var logger: Logger { environment.logger }
  private nonisolated var policy: CallPolicy { policyInForce.withLock { $0 } }

  public init(_ actions: [ActionSettings], policy: CallPolicy, _ environment: Environment) {
    self.actions = actions
    policyInForce = Mutex(policy)
    self.environment = environment
    (uses, used) = AsyncStream.makeStream(of: Use.self, bufferingPolicy: .bufferingNewest(Self.maxUnreadUses))
    var lines: [String: PulsedLine] = [:]
    for action in actions {
      guard case .pulse(let pulse) = action.effect else { continue }
      lines[action.name] = PulsedLine(
        name: action.name, pulse, logger: environment.logger, open: environment.openLine)
    }
    self.lines = lines
  }

  /// Takes all lines and sets them inactive. One that cannot be taken is logged, and tried again when it is used.
  public func start() async {
    for (name, line) in lines {
      do {
        try await line.hold()
      } catch {
        logger.error("action \(name) cannot be done now: \(error)")
      }
    }
    reportUnknownNames()
  }

  private nonisolated func reportUnknownNames() {
    for name in Set(policy.actions.rules.flatMap(\.actions)).subtracting(actions.map(\.name)).sorted() {
      logger.warning("the policy has a rule for the action \"\(name)\", which is not configured")
    }
  }

  /// Ends pulses and releases the lines.
  public func stop() async {
    used.finish()
    for line in lines.values { await line.stop() }
  }

  /// Takes over a new policy, at once; what was used and mistyped until then still counts.
  public nonisolated func apply(_ policy: CallPolicy) {
    policyInForce.withLock { $0 = policy }
    reportUnknownNames()
  }

  /// The names of all actions.
  public var names: [String] { actions.map(\.name) }

  /// What the policy permits a caller to use now, limits and PINs aside.
  public func offers(to requester: ActionRequester, isInCall: Bool) -> [Offer] {
    let policy = policy
    let localTimes = environment.localTimes(policy)
    return actions.compactMap { action in
      let request = ActionRequest(action: action.name, requester: requester, isInCall: isInCall)
      let rule = policy.actions.evaluate(request, localTimes: localTimes).permittingRule
      return rule.map { Offer(name: action.name, needsPIN: $0.pin != nil, isProminent: action.isProminent) }
    }
  }

  /// What the policy permits a requester to use at some time, in the configuration's order.
  public func offersAtAnyTime(to requester: ActionRequester) -> [Offer] {
    let policy = policy
    return actions.compactMap { action in
      policy.actions.rule(everAllowing: action.name, to: requester).map {
        Offer(name: action.name, needsPIN: $0.pin != nil, isProminent: action.isProminent)
      }
    }
  }

  /// The actions that can be dialled, and whether the caller needs a PIN for them now.
  public func dialledActions(for requester: ActionRequester) -> [DialledAction] {
    let offers = offers(to: requester, isInCall: true)
    return actions.compactMap { action in
      let needsPIN = offers.first { $0.name == action.name }?.needsPIN ?? false
      return action.code.map { DialledAction(name: action.name, code: $0, needsPIN: needsPIN) }
    }
  }

  /// Does an action if the policy lets. Returns when the line is active, or the program has ended.
  ///
  /// - Parameters:
  ///   - pin: what the requester entered, if anything; never logged.
  ///   - sessionID: of the requester's call.
  public func run(_ request: ActionRequest, pin: String?, sessionID: String? = nil) async throws(ActionRefusal) {
    do throws(ActionRefusal) {
      let (action, rule) = try admitWithImage(request, pin: pin)
      try await perform(action, request, sessionID)
      logger.notice("action \(request.action): done for \(request.requester)", metadata: Self.metadata(rule, sessionID))
      used.yield(Use(request: request, sessionID: sessionID))
    } catch {
      noteRefusal(error, request, sessionID)
      throw error
    }
  }

  private func noteRefusal(_ refusal: ActionRefusal, _ request: ActionRequest, _ sessionID: String?) {
    var request = request
    // The name may be anything that a caller wrote.
    if !actions.contains(where: { $0.name == request.action }) { request.action = "of another name" }
    if waits.isNew(refusal, of: request, now: environment.now()) {
      let text = "action \(request.action): refused to \(request.requester): \(refusal)"
      logger.notice("\(text)", metadata: Self.metadata(nil, sessionID))
    }
    used.yield(Use(request: request, sessionID: sessionID, refusal: refusal))
  }

  private static func metadata(_ rule: String?, _ sessionID: String?) -> Logger.Metadata {
    var metadata: Logger.Metadata = [:]
    if let rule { metadata["rule"] = "\(rule)" }
    if let sessionID { metadata["session"] = "\(sessionID)" }
    return metadata
  }

  /// The policy is asked first: what it refuses must not push out the images of what it lets.
  private func admitWithImage(
    _ request: ActionRequest, pin: String?
  ) throws(ActionRefusal) -> (ActionSettings, rule: String) {
    let keepsImage = actions.contains { $0.name == request.action && $0.keepsImage }
    do throws(ActionRefusal) {
      let admitted = try admit(request, pin: pin)
      if keepsImage { environment.keepImage(request.action, .admitted) }
      return admitted
    } catch {
      if keepsImage { environment.keepImage(request.action, .refused) }
      throw error
    }
  }

  private func admit(_ request: ActionRequest, pin: String?) throws(ActionRefusal) -> (ActionSettings, rule: String) {
    guard let action = actions.first(where: { $0.name == request.action }) else { throw .unknownAction }
    let policy = policy
    let evaluation = policy.actions.evaluate(request, localTimes: environment.localTimes(policy))
    try gate.admit(evaluation, by: request.requester, pin: pin, now: environment.now()) { environment.readPIN($0) }
    return (action, evaluation.rule?.name ?? "")
  }

  private func perform(
    _ action: ActionSettings, _ request: ActionRequest, _ sessionID: String?
  ) async throws(ActionRefusal) {
    switch action.effect {
    case .pulse: try await pulse(action.name)
    case .home(let isHome): try await attempt { try await environment.setHome(isHome) }
    case .record(let isRecording): try await attempt { try await environment.setRecording(isRecording) }
    case .program(let program):
      guard runningPrograms.count < Self.maxPrograms, runningPrograms.insert(action.name).inserted else { throw .busy }
      defer { runningPrograms.remove(action.name) }
      try await run(program, request, sessionID)
    }
  }

  private func attempt(_ work: () async throws -> Void) async throws(ActionRefusal) {
    do {
      try await work()
    } catch {
      throw .failed("\(error)")
    }
  }

  private func pulse(_ name: String) async throws(ActionRefusal) {
    guard let line = lines[name] else { throw .unknownAction }
    try await line.start()
  }

  private func run(
    _ program: ProgramSettings, _ request: ActionRequest, _ sessionID: String?
  ) async throws(ActionRefusal) {
    let environment = [
      "PATH=/usr/bin:/bin", "LIVESESSIONS_ACTION=\(request.action)", "LIVESESSIONS_CALLER=\(request.requester)",
      "LIVESESSIONS_SESSION=\(sessionID ?? "")",
    ]
    let result: ProgramRun.Result
    do {
      result = try await ProgramRun(command: program.command, environment: environment, timeout: program.timeout).run()
    } catch {
      throw .failed("\(error)")
    }
    for line in result.lines { logger.info("action \(request.action): \(line)") }
    if let failure = result.outcome.failure { throw .failed(failure) }
  }
}
