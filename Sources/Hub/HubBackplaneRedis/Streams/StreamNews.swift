internal import HubCore
internal import RedisClient

/// Hands what Redis publishes to the streams of this node.
struct StreamNews: Sendable {
  let node: NodeContext
  let announcer: Announcer
  let perform: @Sendable (HubActions) -> Void

  /// Messages before now may have been missed.
  func closeGap() {
    perform(HubActions(wokenStreams: node.registry.noteGap()))
    Task { await repeatAnnouncements() }
  }

  func receive(_ message: RedisMessage) {
    if let userID = UserKeys.userID(ofChannel: message.channel) {
      perform(HubActions(wokenStreams: node.registry.noteGrowth(of: userID)))
    } else if let group = GroupKeys.group(ofChannel: message.channel),
      let (userID, event) = Announcer.event(String(decoding: message.payload, as: UTF8.self))
    {
      perform(HubActions(wokenStreams: node.registry.noteAnnouncement(event, about: userID, in: group)))
    }
  }

  /// Hands on what was announced while nobody listened; Redis keeps it for the resume window.
  private func repeatAnnouncements() async {
    let since = UInt64(clamping: node.clock.milliseconds(at: .now - node.limits.resumeWindow))
    for group in node.registry.watchedGroups {
      guard let missed = try? await announcer.missed(in: group, since: since) else { continue }
      var woken: Set<String> = []
      for (userID, event) in missed { woken.formUnion(node.registry.noteMissed(event, about: userID, in: group)) }
      perform(HubActions(wokenStreams: woken))
    }
    node.registry.noteRepeated()
  }
}
