internal import HubCore
internal import RedisClient

/// Hands what Redis publishes to the streams of this node.
final class StreamPubSub: Sendable {
  private static let pause: Duration = .milliseconds(500)
  private let node: NodeContext
  private let announcer: Announcer
  private let perform: @Sendable (HubActions) -> Void
  /// That there is a gap to be closed; several count as one.
  private let (gaps, gapFound) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(node: NodeContext, announcer: Announcer, perform: @escaping @Sendable (HubActions) -> Void) {
    (self.node, self.announcer, self.perform) = (node, announcer, perform)
  }

  /// Messages before now may have been missed.
  func closeGap() {
    perform(HubActions(wokenStreams: node.registry.noteGap()))
    gapFound.yield()
  }

  /// Repeats what was announced in gaps, until the task is cancelled. To be called once.
  func run() async {
    for await _ in gaps {
      while let gap = node.registry.openGap, !Task.isCancelled {
        if await !repeatAnnouncements(of: gap) { try? await Task.sleep(for: Self.pause) }
      }
    }
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

  /// Hands on what was announced while there was no subscription; Redis keeps it for the resume window. Returns whether
  /// that is done with this gap: not where something could not be read.
  private func repeatAnnouncements(of gap: StreamRegistry.Gap) async -> Bool {
    let since = UInt64(clamping: node.clock.milliseconds(at: gap.foundAt - node.limits.resumeWindow))
    var isWhole = true
    for group in node.registry.watchedGroups {
      guard let missed = try? await announcer.missed(in: group, since: since) else {
        isWhole = false
        continue
      }
      perform(HubActions(wokenStreams: node.registry.noteMissed(missed, in: group, gap: gap)))
    }
    if isWhole { node.registry.noteRepeated(gap) }
    return isWhole
  }
}
