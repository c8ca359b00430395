internal import FoundationEssentials
internal import HubCore
internal import SystemSupport
internal import RedisClient
internal import Signalling

/// Announces to all nodes who came, went or changed status.
struct Announcer: Sendable {
  /// What goes over a group's channel, and waits in its stream for those who resume.
  struct Message: Codable {
    var userID: String
    var data: String
  }

  let link: RedisLink
  let limits: HubLimits

  func commands(for announcement: PresenceAnnouncement) -> [RedisCommand] {
    let event = EncodedEvent(.presence(announcement.event))
    let message = encode(Message(userID: announcement.principal.userID, data: event.data))
    return announcement.principal.groups.sorted().map { group in
      let keys = GroupKeys(group)
      return .call(
        "announce", [keys.news],
        [keys.channel, message, "\(limits.presenceEventsPerUser)", limits.resumeWindow.inMilliseconds])
    }
  }

  /// What was announced to a user's groups from a time on, in milliseconds of Redis's clock, the oldest first.
  func missed(by principal: Principal, since time: UInt64) async throws(HubRefusal) -> [(String, EncodedEvent)] {
    guard principal.role != .device else { return [] }
    var missed: [(String, EncodedEvent)] = []
    for group in principal.groups { missed += try await self.missed(in: group, since: time) }
    return missed
  }

  /// What was announced to one group.
  func missed(in group: String, since time: UInt64) async throws(HubRefusal) -> [(String, EncodedEvent)] {
    let count = limits.presenceEventsPerUser * 2
    let reply = try await link.run(
      RedisCommand("XRANGE", [GroupKeys(group).news, "\(time)", "+", "COUNT", "\(count)"]))
    return reply.members.compactMap { entry in entry[1][1].text.flatMap(Self.event) }
  }

  /// Whom a message is about, and its event; nil for what is none.
  static func event(_ text: String) -> (String, EncodedEvent)? {
    guard let message = try? JSONDecoder().decode(Message.self, from: Data(text.utf8)) else { return nil }
    return (message.userID, EncodedEvent(name: .presence, data: message.data, subject: message.userID))
  }
}
