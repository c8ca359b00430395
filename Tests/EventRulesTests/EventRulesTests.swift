import CallPolicy
import ControlMessages
import Delivery
import DeviceConfiguration
import EventDetection
import Foundation
import SystemSupport
import Logging
import MediaCore
import MediaPlaneAPI
import Signalling
import Testing

@testable import EventRules

private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// What the effects of rules ask of the rest of the device.
private final class Effects: Sendable {
  struct Refusal: Error, CustomStringConvertible { let description = "not now" }

  let done = Mutex<[String]>([])
  let uses = Mutex<[EventRuleService.Use]>([])
  let reports = Mutex<[DetectedEvent]>([])
  let pushes = Mutex<[EventPushRequest]>([])
  let refuses = Mutex(false)

  func note(_ text: String) { done.withLock { $0.append(text) } }
}

@Suite(.timeLimit(.minutes(1))) struct EventRulesTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString)").path
  private let effects = Effects()

  private func rules(_ lines: String) throws -> DeviceConfiguration {
    try DeviceConfiguration(
      text: """
        [device]
        title = "Tor ☎"
        [hub]
        url = "http://127.0.0.1:1"
        [mail]
        sendmail = "\(folder)/sendmail"
        from = "gate@example.org"
        [[event]]
        name = "yard"
        kind = "motion"
        [[action]]
        name = "light"
        run = ["/bin/true"]
        [[event_rule]]
        name = "all"
        \(lines)
        """, file: "device.toml")
  }

  private func program(_ name: String, _ script: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "#!/bin/sh\n\(script)\n".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/\(name)")
  }

  private func evaluate(_ configuration: DeviceConfiguration) -> EventRuleEvaluator {
    EventRuleEvaluator(
      configuration.eventRules,
      EventRuleEvaluator.Environment(
        now: { MonotonicInstant(nanoseconds: 1) }, localTimes: { _ in [:] }, isHome: { false }))
  }

  private func service(_ configuration: DeviceConfiguration, _ evaluator: EventRuleEvaluator) -> EventRuleService {
    let effects = effects
    return EventRuleService(
      evaluator, device: configuration.identity.title, mail: configuration.mail,
      EventRuleService.Environment(
        logger: quiet, call: { effects.note("call by \($0) to \($1.users)") },
        runAction: { request in
          if effects.refuses.withLock({ $0 }) { throw Effects.Refusal() }
          effects.note("\(request.action) for \(request.requester)")
        },
        report: { report in
          effects.reports.withLock { $0.append(report) }
          return effects.refuses.withLock { $0 } ? .refused("no webhooks") : .delivered
        },
        push: { request in
          effects.pushes.withLock { $0.append(request) }
          return .delivered
        }, wallTime: { 1_795_590_309_000 }, noteUse: { use in effects.uses.withLock { $0.append(use) } },
        pageAddress: { "https://hub.example.org/#/devices/1/events/\($0)" }),
      mailPauses: Backoff(initial: .milliseconds(20), maximum: .milliseconds(20)))
  }

  private var event: DetectedEvent {
    var event = DetectedEvent(
      id: "20261125T070500Z-9f3c01ab", kind: .motion, source: "yard", start: 1_795_590_300_000, score: 76,
      clockSynchronized: true)
    event.region = FrameRegion(x: 1, y: 2, width: 3, height: 4)
    return event
  }

  /// Has an event judged, and waits until so many uses were told.
  private func respond(_ lines: String, uses count: Int, _ body: (EventRuleService) async throws -> Void) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let configuration = try rules(lines)
    let evaluator = evaluate(configuration)
    let service = service(configuration, evaluator)
    let work = Task { await service.run() }
    evaluator.take(event, image: [0xFF, 0xD8, 1, 2])
    for _ in 0..<1_000 where effects.uses.withLock({ $0.count }) < count {
      try await Task.sleep(for: .milliseconds(10))
    }
    try await body(service)
    work.cancel()
    await work.value
  }

  @Test func everythingThatARuleSaysIsDone() async throws {
    try program("sendmail", "echo \"$@\" > \(folder)/arguments; env > \(folder)/environment; cat > \(folder)/mail")
    try program("told", "cat > \(folder)/told.json; echo \"$1\" > \(folder)/argument")
    let lines = """
      call = ["user:a"]
      action = ["light"]
      webhook = true
      push = ["user:a", "group:family"]
      mail = ["ann@example.org"]
      run = ["\(folder)/told", "a b"]
      """
    try await respond(lines, uses: 6) { service in
      #expect(effects.done.withLock { $0.sorted() } == ["call by all to [\"a\"]", "light for event:yard"])
      #expect(effects.uses.withLock { $0.allSatisfy { $0.failure == nil && $0.rule == "all" } })
      #expect(await service.problem == nil)
      #expect(try read("arguments") == "-t -oi\n")
      #expect(try read("environment").contains("HOME=") == false)
      let mail = try read("mail")
      #expect(mail.hasPrefix("From: gate@example.org\nTo: ann@example.org\nSubject: =?utf-8?B?"))
      #expect(mail.contains("/9gBAg==\n"))
      let parts = mail.components(separatedBy: "Content-Transfer-Encoding: base64\n\n")
      let encoded = try #require(parts.dropFirst().first?.components(separatedBy: "\n--").first)
      let text = try #require(Data(base64Encoded: encoded, options: .ignoreUnknownCharacters))
      let page = "see: https://hub.example.org/#/devices/1/events/\(event.id)\n"
      #expect(String(decoding: text, as: UTF8.self).hasSuffix(page))
      #expect(try read("argument") == "a b\n")
      let told = try JSONSerialization.jsonObject(with: Data(try read("told.json").utf8)) as? [String: Any]
      #expect(told?["device"] as? String == "Tor ☎")
      #expect((told?["event"] as? [String: Any])?["score"] as? Int == 76)
    }
    let report = try #require(effects.reports.withLock { $0 }.first)
    #expect((report.source, report.rule, report.region?.height) == ("yard", "all", 4))
    let push = try #require(effects.pushes.withLock { $0 }.first)
    #expect(push.event.rule == "all" && push.recipients == ["user:a", "group:family"])
  }

  private func read(_ name: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
  }

  @Test func whatFailsIsAProblemUntilItIsDone() async throws {
    try program("sendmail", "echo no route >&2; exit 75")
    effects.refuses.withLock { $0 = true }
    let lines = "action = [\"light\"]\nwebhook = true\nmail = [\"ann@example.org\"]"
    try await respond(lines, uses: 3) { service in
      for _ in 0..<500 where await service.problem?.text.contains("webhook") != true {
        try await Task.sleep(for: .milliseconds(10))
      }
      let problem = try #require(await service.problem)
      #expect(problem.part == .eventRules)
      #expect(problem.text.contains("rule \"all\": action light: not now"))
      #expect(problem.text.contains("the program ended with status 75 (no route)"))
      #expect(problem.text.contains("events do not reach the hub: no webhooks"))
    }
  }

  @Test("A mail is tried again, unless sendmail says that it is wrong itself", arguments: [(75, 2), (67, 1)])
  func mailsAreTriedAgain(status: Int, attempts: Int) async throws {
    let tries = "\(folder)/tries"
    try program("sendmail", "echo >> \(tries); [ $(wc -l < \(tries)) -gt 1 ] || exit \(status)")
    try await respond("mail = [\"ann@example.org\"]", uses: attempts) { service in
      #expect(effects.uses.withLock { $0.map { $0.failure == nil } } == (attempts == 2 ? [false, true] : [false]))
      let count = try read("tries").count
      #expect(count == attempts)
      // A problem is noted when somebody looks, so that one that is over may never have been seen.
      let lasting = await service.problem.flatMap { $0.lasts ? $0.text : nil }
      #expect((lasting != nil) == (attempts == 1))
      #expect(lasting?.contains("status \(status)") != false)
    }
  }

  @Test func aSendmailThatHangsHoldsUpNothing() async throws {
    try program("sendmail", "echo > \(folder)/begun; exec sleep 20")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let configuration = try rules("mail = [\"ann@example.org\"]")
    let evaluator = evaluate(configuration)
    let service = service(configuration, evaluator)
    let work = Task { await service.run() }
    evaluator.take(event, image: nil)
    for _ in 0..<1_000 where !FileManager.default.fileExists(atPath: "\(folder)/begun") {
      try await Task.sleep(for: .milliseconds(10))
    }
    let begin = ContinuousClock.now
    work.cancel()
    await work.value
    #expect(ContinuousClock.now - begin < .seconds(5))
  }

  @Test func withoutSendmailTheRemedyIsTold() async throws {
    try await respond("mail = [\"ann@example.org\"]", uses: 1) { service in
      let text = try #require(await service.problem?.text)
      #expect(text.contains("No such file or directory; install a mail system such as msmtp-mta, or set sendmail"))
    }
  }

  @Test func theJudgeExplainsWhatWouldHappen() throws {
    let evaluator = evaluate(try rules("min_score = 50\nwebhook = true"))
    let weak = evaluator.explain(EventSubject(kind: .motion, source: "yard", score: 49))
    #expect(weak.rule == nil)
    #expect(weak.lines.last == "sets off: nothing")
    let strong = evaluator.explain(EventSubject(kind: .motion, source: "yard", score: 50))
    #expect(strong.rule == "all")
    #expect(strong.lines == ["matches: \"all\": the score is 50, 50 needed", "sets off: webhook"])
  }

  @Test func whoIsAtHomeOutlastsTheDaemon() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/home"
    let flag = HomeFlag(path: path, logger: quiet)
    #expect(!flag.isHome)
    try flag.set(true)
    #expect(flag.isHome)
    #expect(HomeFlag(path: path, logger: quiet).isHome)
    try flag.set(false)
    #expect(!HomeFlag(path: path, logger: quiet).isHome)
    try Data("perhaps\n".utf8).write(to: URL(filePath: path))
    #expect(!HomeFlag(path: path, logger: quiet).isHome)
    #expect(try Data(contentsOf: URL(filePath: path + ".damaged")) == Data("perhaps\n".utf8))
    let nowhere = HomeFlag(path: "\(folder)/none/home", logger: quiet)
    #expect(throws: HomeFlag.Failure.self) { try nowhere.set(true) }
    #expect(nowhere.isHome)
  }
}
