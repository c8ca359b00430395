import CallPolicy
import ConfigFile
public import MediaCore

/// `call`, `hunt` and `ring_for` of a button or a rule about events: whom it calls, and how.
public struct HuntSettings: Sendable, Hashable {
  public enum Order: String, Sendable, Hashable, CaseIterable {
    case inTurn = "in-turn"
    case allAtOnce = "all-at-once"
  }

  public static let maxUsers = 16

  /// User ids, 1 to ``maxUsers``, each once.
  public var users: [String]
  public var order: Order
  public var ringFor: TimeSpan
}

/// The three keys as a button's or a rule's table has them.
struct HuntKeys: SettingGroup {
  var users: [String]?
  var order = HuntSettings.Order.inTurn
  var ringFor = TimeSpan.seconds(20)

  static let settings: [Setting<HuntKeys>] = [
    Setting(
      "call", \.users, .texts("list of users", parse: HuntSettings.user), example: "[\"user:ID\", \"user:ID\"]",
      "Whom to call: 1 to \(HuntSettings.maxUsers) of `\"user:ID\"`; `livesessions users` shows the ids."),
    Setting(
      "hunt", \.order, .choice(),
      """
      `"in-turn"` calls one after the other, `"all-at-once"` all together; the first who answers has the call.
      """),
    Setting("ring_for", \.ringFor, .timeSpan(.seconds(1) ... .seconds(60)), "How long it rings at each."),
  ]
}

extension HuntSettings {
  private static let otherKeys = ["hunt", "ring_for"]

  /// What the three keys say; nil where they are not there, or have mistakes, which are logged.
  ///
  /// - Parameter missing: what has to be there for them to do something, such as `press = "call"`; nil if nothing else has to.
  static func make(_ keys: HuntKeys, _ table: ConfigTable, missing: String? = nil) -> HuntSettings? {
    guard missing == nil, let users = keys.users else {
      refuseUseless(table, missing ?? "call")
      return nil
    }
    check(users, table)
    return HuntSettings(users: users, order: keys.order, ringFor: keys.ringFor)
  }

  private static func refuseUseless(_ table: ConfigTable, _ missing: String) {
    for key in (missing == "call" ? [] : ["call"]) + otherKeys where table.contains(key) && !table.contains(missing) {
      table.addError("\(key) without \(missing) does nothing", remedy: "add \(missing)", at: key)
    }
  }

  private static func check(_ users: [String], _ table: ConfigTable) {
    if table.isEmptyArray("call") || users.count > maxUsers {
      table.addError("call names \(users.count) users, not 1 to \(maxUsers)", at: "call")
    }
    if Set(users).count != users.count { table.addError("call names a user twice", at: "call") }
  }

  fileprivate static func user(_ text: String) throws(ConfigValueError) -> String {
    if case .user(let userID)? = CallerPattern(text) { return userID }
    throw ConfigValueError(
      "\"\(text)\" is no user to call", remedy: "write user:ID, with an id that livesessions users shows")
  }
}
