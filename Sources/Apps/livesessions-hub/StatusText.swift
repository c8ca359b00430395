import Foundation
import HubCore

/// A hub's status in lines for people.
struct StatusText {
  private let status: HubStatus

  init(_ status: HubStatus) { self.status = status }

  var text: String {
    var rows = [
      ("version", status.version), ("up for", Self.duration(status.uptime)),
      (
        "connections",
        "\(status.connections) of at most \(status.maximumConnections), \(status.memberConnections) with a login"
      ),
      ("deferred", "\(status.admissionRefusals) logins and event streams"),
    ]
    if status.archiveTransfers > 0 { rows.append(("archives under way", "\(status.archiveTransfers)")) }
    if let sessions = status.shared.liveSessions { rows.append(("calls", "\(sessions)")) }
    if let views = status.views, views > 0 { rows.append(("views", "\(views) by WHEP since the start")) }
    if let overdue = status.shared.overdueSessions, overdue > 0 { rows.append(("calls overdue", "\(overdue)")) }
    if let expiry = status.certificateExpiry {
      let day = Date(timeIntervalSince1970: Double(expiry)).formatted(.iso8601.year().month().day())
      rows.append(("certificate", "expires on \(day)"))
    }
    if let webhooks = status.webhooks { rows += Self.rows(webhooks) }
    if let push = status.push { rows.append(Self.row(push)) }
    if let redis = status.shared.redis { rows += Self.rows(redis) }
    return (rows.map(Self.line) + status.shared.nodes.map(Self.line)).joined(separator: "\n")
  }

  private static func line(_ row: (name: String, value: String)) -> String {
    row.name + String(repeating: " ", count: max(1, 20 - row.name.count)) + row.value
  }

  private static func line(_ node: BackplaneStatus.Node) -> String {
    let streams = node.eventStreams.map { "\($0) event streams" } ?? "has not said how many event streams"
    let users = node.presentUsers.map { ", \($0) users" } ?? ""
    let silence = node.silence.map { $0 >= 3_000 ? ", silent for \($0 / 1_000) s" : "" } ?? ""
    return line(("node", "\(node.name): \(streams)\(users)\(silence)"))
  }

  private static func rows(_ webhooks: HubStatus.Webhooks) -> [(String, String)] {
    let text = "\(webhooks.delivered) events delivered, \(webhooks.waiting) wait, \(webhooks.lost) lost"
    return [("webhooks", text)] + webhooks.troubles.map { ("", "problem: \($0)") }
  }

  private static func row(_ push: HubStatus.Push) -> (String, String) {
    let subscriptions = push.subscriptions.map { "\($0) subscriptions" } ?? "subscriptions unknown"
    return ("push", "\(subscriptions), \(push.sent) messages sent, \(push.failed) failed, \(push.removed) removed")
  }

  private static func rows(_ redis: RedisStatus) -> [(String, String)] {
    let milliseconds = "\(Double(redis.roundTrip / 10) / 100) ms"
    guard let used = redis.usedMemory else {
      return [("Redis", "answers in \(milliseconds); its user may not ask for more (ACL: +info)")]
    }
    let limit = redis.maximumMemory.flatMap { $0 > 0 ? " of at most \(megabytes($0))" : nil } ?? " without limit"
    return [("Redis", "answers in \(milliseconds), \(megabytes(used))\(limit)"), ("", persistence(redis))]
      + (redis.evictionPolicy.flatMap { $0 == "noeviction" ? nil : [("", "evicts (\($0)): calls get lost")] } ?? [])
  }

  private static func persistence(_ redis: RedisStatus) -> String {
    guard redis.hasAppendOnlyFile == true else { return "keeps nothing (appendonly no): a restart loses what it knows" }
    return redis.canWriteToDisk == false ? "cannot write to its disk" : "keeps what it knows on disk"
  }

  private static func megabytes(_ bytes: Int64) -> String { "\(bytes / 1_000_000) MB" }

  private static func duration(_ seconds: Int64) -> String {
    seconds < 3_600 ? "\(seconds / 60) min" : seconds < 172_800 ? "\(seconds / 3_600) h" : "\(seconds / 86_400) days"
  }
}
