public import CallPolicy
public import ControlMessages
public import DeviceConfiguration
public import Delivery
internal import MediaCore
internal import MediaPlaneAPI
public import Logging
public import Signalling
internal import JournalLogging

/// Does what event rules have decided, and logs each action, done or failed.
public actor EventRuleService: ProblemReporting {
  /// What does the work; returns when it is begun (a call) or done (all else), or throws what went wrong.
  public struct Environment: Sendable {
    /// By the rule of this name.
    public var call: @Sendable (String, HuntSettings) async throws -> Void
    public var runAction: @Sendable (ActionRequest) async throws -> Void
    /// Notifies the hub, once.
    public var report: @Sendable (DetectedEvent) async -> Delivery<DetectedEvent>.Outcome
    /// Has the hub notify people, once.
    public var push: @Sendable (EventPushRequest) async -> Delivery<EventPushRequest>.Outcome
    /// CLOCK_REALTIME in milliseconds since 1970.
    public var wallTime: @Sendable () -> Int64
    /// Notifies watchers of the device.
    public var noteUse: @Sendable (Use) -> Void
    /// Where people see the event with this id; nil where that is not known.
    public var pageAddress: @Sendable (String) async -> String?
    public var logger: Logger

    public init(
      logger: Logger, call: @escaping @Sendable (String, HuntSettings) async throws -> Void,
      runAction: @escaping @Sendable (ActionRequest) async throws -> Void,
      report: @escaping @Sendable (DetectedEvent) async -> Delivery<DetectedEvent>.Outcome,
      push: @escaping @Sendable (EventPushRequest) async -> Delivery<EventPushRequest>.Outcome,
      wallTime: @escaping @Sendable () -> Int64, noteUse: @escaping @Sendable (Use) -> Void,
      pageAddress: @escaping @Sendable (String) async -> String? = { _ in nil }
    ) {
      self.logger = logger
      self.call = call
      self.runAction = runAction
      self.report = report
      self.push = push
      self.wallTime = wallTime
      self.noteUse = noteUse
      self.pageAddress = pageAddress
    }
  }

  /// One thing that a rule had done.
  public struct Use: Sendable, Hashable {
    public var eventID: String
    public var rule: String
    /// As text, such as `mail to ann@example.org`.
    public var effect: String
    /// Why it was not done; nil if it was.
    public var failure: String?
  }

  /// The maximum number of concurrent actions; more are left out.
  private static let maxDecisions = 8
  private static let maxReports = 256
  /// With pauses of up to a minute they are tried for some half an hour: what happened before is no news.
  private static let (maxPushes, maxPushAttempts) = (32, 40)

  private let evaluator: EventRuleEvaluator
  private let environment: Environment
  private let device: String
  private let reports: EventReports<DetectedEvent>
  private let pushes: EventReports<EventPushRequest>
  private var mailer: EventMailer
  private let mailPauses: Backoff
  /// The mail whose failure was reported last.
  private var failedMail: String?
  private var problems = EventRuleProblems()
  private var running = 0

  private var logger: Logger { environment.logger }

  /// - Parameter device: its title, for mails and programs.
  public init(_ evaluator: EventRuleEvaluator, device: String, mail: MailSettings, _ environment: Environment) {
    self.init(evaluator, device: device, mail: mail, environment, mailPauses: EventMails.pauses)
  }

  /// - Parameter mailPauses: before a mail that was not sent is tried again.
  init(
    _ evaluator: EventRuleEvaluator, device: String, mail: MailSettings, _ environment: Environment, mailPauses: Backoff
  ) {
    self.mailPauses = mailPauses
    self.evaluator = evaluator
    self.device = device
    self.environment = environment
    mailer = EventMailer(device: device, settings: mail)
    let logger = environment.logger
    reports = EventReports("webhook", capacity: Self.maxReports, logger: logger, send: environment.report)
    pushes = EventReports(
      "push", capacity: Self.maxPushes, maxAttempts: Self.maxPushAttempts, logger: logger, send: environment.push)
  }

  /// Made once the service is there, which sends them.
  private lazy var mails = EventMails(pauses: mailPauses, logger: environment.logger) { [weak self] in
    await self?.send($0) ?? .refused("the daemon ends")
  }

  /// Takes over how mails are sent.
  public func apply(_ mail: MailSettings) {
    mailer = EventMailer(device: device, settings: mail)
    mails.tryNow()
  }

  /// What was not done, or last was not, and what to do about it; nil if there was nothing.
  public var problem: ProblemStatus? {
    var problems = problems
    let now = environment.wallTime()
    problems.note(reports.trouble, of: .webhook, now: now)
    problems.note(pushes.trouble, of: .push, now: now)
    problems.note(mails.trouble, of: .mail, now: now)
    self.problems = problems
    return problems.status
  }

  /// Works until the task is cancelled. Actions in progress are not awaited.
  public func run() async {
    // No child of this task, which would wait for it: a sendmail that hangs must not hold up the daemon's end.
    let detached = OwnedTasks()
    defer { detached.cancel() }
    detached.begin { [mails] in await mails.run() }
    await withDiscardingTaskGroup { group in
      group.addTask { [reports] in await reports.run() }
      group.addTask { [pushes] in await pushes.run() }
      for await decision in evaluator.decisions {
        guard begin(decision) else { continue }
        detached.begin { [weak self] in await self?.perform(decision) }
      }
      group.cancelAll()
    }
  }

  private func begin(_ decision: EventRuleEvaluator.Decision) -> Bool {
    guard running < Self.maxDecisions else {
      note("all", decision, of: .limit, failure: "too many actions are in progress; set at_most or min_gap in the rule")
      return false
    }
    running += 1
    return true
  }

  private func perform(_ decision: EventRuleEvaluator.Decision) async {
    defer { running -= 1 }
    if decision.rule.effects.isEmpty {
      logger.info("event \(event: decision.event.id): ignored by rule \"\(decision.rule.rule.name)\"")
    }
    await withDiscardingTaskGroup { group in
      for effect in EventEffect.all(of: decision.rule.effects) {
        group.addTask { await self.perform(effect, decision) }
      }
    }
  }
}

// MARK: - Effects

extension EventRuleService {
  private func perform(_ effect: EventEffect, _ decision: EventRuleEvaluator.Decision) async {
    do {
      try await attempt(effect, decision)
      // That of a mail is reported when it has been sent.
      if effect.kind == .mail { return }
      note(effect.text, decision, of: effect.kind, failure: nil)
    } catch {
      note(effect.text, decision, of: effect.kind, failure: "\(error)")
    }
  }

  private func attempt(_ effect: EventEffect, _ decision: EventRuleEvaluator.Decision) async throws {
    let rule = decision.rule.rule.name
    switch effect {
    // The recorder was notified when the rule decided: its pre-roll does not wait.
    case .record: break
    case .call(let call): try await environment.call(rule, call)
    case .action(let name):
      try await environment.runAction(ActionRequest(action: name, requester: .event(source: decision.event.source)))
    case .webhook: reports.add(try report(decision))
    case .push(let recipients): pushes.add(EventPushRequest(event: try report(decision), recipients: recipients))
    case .mail(let recipients): mails.add(EventMails.Item(decision: decision, recipients: recipients))
    case .program(let program): try await EventProgram(program, device: device).run(decision)
    }
  }

  /// What the hub is sent of the event.
  private func report(_ decision: EventRuleEvaluator.Decision) throws -> DetectedEvent {
    let report = decision.event.report(by: decision.rule.rule.name)
    guard report.refusal == nil else { throw UnreportableEvent() }
    return report
  }

  /// Tries to send a mail; a failure is reported once.
  private func send(_ mail: EventMails.Item) async -> Delivery<EventMails.Item>.Outcome {
    let (decision, effect) = (mail.decision, EventEffect.mail(mail.recipients))
    let name = "\(decision.event.id) \(decision.rule.rule.name)"
    do {
      let page = await environment.pageAddress(decision.event.id)
      try await mailer.send(decision, to: mail.recipients, at: environment.wallTime() / 1_000, page: page)
      note(effect.text, decision, of: .mail, failure: nil)
      return .delivered
    } catch {
      if failedMail != name { note(effect.text, decision, of: .mail, failure: "\(error)") }
      failedMail = name
      let cause = "rule \"\(decision.rule.rule.name)\": \(effect.text): \(error)"
      return (error as? EventMailer.Failure)?.isFinal == true ? .refused(cause) : .failed(cause)
    }
  }

  /// The journal has each use, status what lasts.
  private func note(
    _ effect: String, _ decision: EventRuleEvaluator.Decision, of kind: EventEffect.Kind, failure: String?
  ) {
    let (event, rule) = (decision.event.id, decision.rule.rule.name)
    logger.notice(
      "event \(event): rule \"\(rule)\": \(effect)\(failure.map { ": failed: \($0)" } ?? "")",
      metadata: ["rule": "\(rule)"])
    // Whether these have arrived is reported by what delivers them.
    if ![.webhook, .push, .mail].contains(kind) {
      problems.note(failure.map { "rule \"\(rule)\": \(effect): \($0)" }, of: kind, now: environment.wallTime())
    }
    environment.noteUse(Use(eventID: event, rule: rule, effect: effect, failure: failure))
  }
}

/// What an event is called cannot be passed on.
private struct UnreportableEvent: Error, CustomStringConvertible {
  var description: String {
    "the hub takes no names with < or > or controls: rename the [[event]] or the [[event_rule]] in device.toml"
  }
}
