import CallPolicy
import ConfigFile
public import MediaCore

/// `call`, `hunt` and `ring_for` of a button or a rule about events: whom it calls, and how.
public struct HuntSettings: Sendable, Hashable {
  public enum Order: String, Sendable, Hashable, CaseIterable {
    case inTurn = "in-turn"
    case allAtOnce = "all-at-once"
  }

  public static let mostUsers = 16

  /// User ids, 1 to ``mostUsers``, each once.
  public var users: [String]
  public var order: Order
  public var ringFor: TimeSpan
}

extension HuntSettings {
  private static let otherKeys = ["hunt", "ring_for"]

  /// Reads the three keys; nil where they are not there, or have mistakes, which are told.
  ///
  /// - Parameter missing: what has to be there for them to do something, such as `press = "call"`; nil if nothing else has to.
  static func read(_ table: ConfigTable, missing: String? = nil) -> HuntSettings? {
    let order: Order = table.choice("hunt") ?? .inTurn
    let ringFor = table.duration("ring_for", default: .seconds(20), in: .seconds(1) ... .seconds(60))
    let users = table.values("call", parse: user)
    guard missing == nil, let users else {
      refuseUseless(table, missing ?? "call")
      return nil
    }
    check(users, table)
    return HuntSettings(users: users, order: order, ringFor: TimeSpan(ringFor))
  }

  private static func refuseUseless(_ table: ConfigTable, _ missing: String) {
    for key in (missing == "call" ? [] : ["call"]) + otherKeys where table.contains(key) && !table.contains(missing) {
      table.addError("\(key) without \(missing) does nothing", remedy: "add \(missing)", at: key)
    }
  }

  private static func check(_ users: [String], _ table: ConfigTable) {
    if table.isEmptyArray("call") || users.count > mostUsers {
      table.addError("call names \(users.count) users, not 1 to \(mostUsers)", at: "call")
    }
    if Set(users).count != users.count { table.addError("call names somebody twice", at: "call") }
  }

  private static func user(_ text: String) throws(ConfigValueError) -> String {
    if case .user(let userID)? = CallerPattern(text) { return userID }
    throw ConfigValueError(
      "\"\(text)\" is nobody to call", remedy: "write user:ID, with an id that livesessions users shows")
  }
}
