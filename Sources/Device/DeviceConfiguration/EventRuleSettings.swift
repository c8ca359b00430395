public import CallPolicy
public import ConfigFile
public import Delivery
public import Signalling

/// `[[event_rule]]`: what an event sets off, and when.
public struct EventRuleSettings: Sendable, Hashable {
  public static let maxCount = 32

  public var rule: EventRule
  public var effects: EventEffects
}

/// What is done when a rule about events matches; nothing for a rule that has events ignored.
public struct EventEffects: Sendable, Hashable {
  public static let maxRecipients = 8

  public var call: HuntSettings?
  /// Names of actions, each of which the policy has to allow.
  public var actions: [String] = []
  /// Names of plans that record the event.
  public var plans: [String] = []
  /// Whether the hub is notified, for its webhooks.
  public var sendsWebhook = false
  /// Whose browsers the hub notifies.
  public var pushRecipients: [PushRecipient] = []
  public var recipients: [MailAddress] = []
  /// A program that receives the event.
  public var program: ProgramSettings?

  public var isEmpty: Bool { summary.isEmpty }

  /// What is done, as text for people.
  public var summary: [String] {
    let addresses = recipients.map(\.text).joined(separator: ", ")
    let pushed = pushRecipients.map(\.text).joined(separator: ", ")
    return plans.map { "record by plan \"\($0)\"" }
      + [call.map { "call \($0.users.joined(separator: ", ")) (\($0.order.rawValue))" }].compactMap(\.self)
      + actions.map { "action \($0)" } + (sendsWebhook ? ["webhook"] : [])
      + (pushed.isEmpty ? [] : ["push to \(pushed)"])
      + (recipients.isEmpty ? [] : ["mail to \(addresses)"]) + (program.map { ["run \($0.command[0])"] } ?? [])
  }
}

/// `[mail]`: how mails leave the device.
public struct MailSettings: SettingGroup, Hashable {
  /// The absolute path of a program that takes a message by standard input, and `-t -oi`.
  public var sendmail = "/usr/sbin/sendmail"
  /// Nil lets the mail system write it.
  public var sender: MailAddress?
  /// The program is ended after this time.
  public var timeout = Duration.seconds(30)

  public init() {}

  static let settings: [Setting<MailSettings>] = [
    Setting(
      "sendmail", \.sendmail, .absolutePath,
      """
      A program that takes a message on standard input, and the arguments `-t -oi`. It cannot be set-user-id or \
      set-group-id under the shipped service; that of msmtp-mta is not.
      """),
    Setting(
      "from", \.sender, .text("mail address", text: \.text, parse: MailAddress.parse), example: "\"gate@example.org\"",
      "The sender's address; the mail system's own without it."),
    Setting(
      "timeout", \.timeout, .duration(.seconds(1) ... .seconds(120)), "The program is ended after this time."),
  ]
}

extension MailAddress {
  static func parse(_ text: String) throws(ConfigValueError) -> MailAddress {
    guard let address = MailAddress(text) else {
      throw ConfigValueError(
        "\"\(text)\" is no mail address", remedy: "write for example \"ann@example.org\", without a name")
    }
    return address
  }
}
