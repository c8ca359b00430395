import CallPolicy
import RealtimeRuntime
import ControlMessages
import DeviceConfiguration
import Glibc
import Delivery
import Signalling
import SystemSupport

/// Writes mails about events, and hands them to the system's sendmail.
struct EventMailer: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// It would be refused again.
    var isFinal = false
  }

  /// Of sysexits.h what says something of the mail rather than of the way that it takes: EX_USAGE, EX_DATAERR, EX_NOUSER.
  private static let finalStatuses: Set<Int32> = [64, 65, 67]

  /// With the offset from UTC, since the reader may be elsewhere.
  private static let timeFormat = "%Y-%m-%d %H:%M:%S %z"

  let device: String
  let settings: MailSettings

  /// Returns when sendmail has taken it.
  ///
  /// - Parameters:
  ///   - time: seconds since 1970.
  ///   - page: where the event can be seen; nil where that is not known.
  func send(
    _ decision: EventRuleEvaluator.Decision, to recipients: [MailAddress], at time: Int64, page: String?
  ) async throws {
    let message = message(decision, to: recipients, page: page).octets(at: time, boundary: .random(in: 0 ... .max))
    let run = ProgramRun(
      command: [settings.sendmail, "-t", "-oi"], environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
      timeout: settings.timeout, input: message)
    let result: ProgramRun.Result
    do {
      result = try await run.run()
    } catch {
      throw Failure(description: "\(error); install a mail system such as msmtp-mta, or set sendmail in [mail]")
    }
    guard let failure = result.outcome.failure else { return }
    let output = result.lines.first.map { " (\($0))" } ?? ""
    let remedy = "try: echo | sudo -u livesessions \(settings.sendmail) -oi you@example.org"
    throw Failure(description: "\(failure)\(output); \(remedy)", isFinal: Self.isFinal(result.outcome))
  }

  private static func isFinal(_ outcome: ChildProcess.Outcome) -> Bool {
    if case .exited(let status) = outcome { finalStatuses.contains(status) } else { false }
  }

  private func message(
    _ decision: EventRuleEvaluator.Decision, to recipients: [MailAddress], page: String?
  ) -> MailMessage {
    let event = decision.event
    let text = """
      \(device): \(event.title)

      began: \(TimeText.local(event.start / 1_000, Self.timeFormat))\(event.clockSynchronized ? "" : " (the clock was not set)")
      score: \(event.score)
      event: \(event.id)
      rule:  \(decision.rule.rule.name)
      \(page.map { "\nsee: \($0)\n" } ?? "")
      """
    return MailMessage(
      sender: settings.sender, recipients: recipients, subject: "\(device): \(event.title)", text: text,
      image: decision.image.map { MailMessage.Image(name: "\(event.id).jpg", bytes: $0) })
  }
}
