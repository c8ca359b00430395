internal import HubCore
internal import SystemSupport

/// The event streams that are open on this node.
final class StreamRegistry: Sendable {
  struct LocalStream {
    var principal: Principal
    /// Redis knows the stream.
    var isOpen = false
    /// The user's log has grown since the stream read it, or may have.
    var isDirty = true
    /// Redis has forgotten the stream, or was forgotten by this node: its client must open another.
    var isLost = false
    /// Of presence each user's newest alone is kept, as long as the stream has not read it.
    var news: [String: EncodedEvent] = [:]
  }

  /// A time in which announcements may have been missed. A later one takes its place before it is closed: what is read for
  /// the later one holds all of both.
  struct Gap: Sendable, Equatable {
    fileprivate var generation = 0
    /// When listening began again.
    let foundAt: Instant
  }

  private struct State {
    var streams: [String: LocalStream] = [:]
    var streamsByUser: [String: Set<String>] = [:]
    /// Of people alone: devices do not watch each other.
    var watchersByGroup: [String: Set<String>] = [:]
    /// The newest gap whose announcements are yet to be repeated.
    var openGap: Gap?
    var gapCount = 0
    /// Whom announcements were about since that gap.
    var heardSinceGap: Set<String> = []

    mutating func keep(_ event: EncodedEvent, about userID: String, for streamID: String, atMost limit: Int) {
      guard let news = streams[streamID]?.news, news[userID] != nil || news.count < limit else { return }
      streams[streamID]?.news[userID] = event
    }
  }

  private let state = Mutex(State())
  private let limits: HubLimits

  init(limits: HubLimits) {
    self.limits = limits
  }

  var streamCount: Int { state.withLock { $0.streams.count } }
  var userCount: Int { state.withLock { $0.streamsByUser.count } }
  var userIDs: [String] { state.withLock { Array($0.streamsByUser.keys) } }

  /// Returns the channels to subscribe to.
  func insert(_ streamID: String, of principal: Principal) -> [String] {
    state.withLock { state in
      state.streams[streamID] = LocalStream(principal: principal)
      var channels: [String] = []
      if state.streamsByUser[principal.userID] == nil { channels.append(UserKeys(principal.userID).channel) }
      state.streamsByUser[principal.userID, default: []].insert(streamID)
      for group in watched(by: principal) {
        if state.watchersByGroup[group] == nil { channels.append(GroupKeys(group).channel) }
        state.watchersByGroup[group, default: []].insert(streamID)
      }
      return channels
    }
  }

  /// Redis has opened the stream, too.
  func noteOpened(_ streamID: String) { state.withLock { $0.streams[streamID]?.isOpen = true } }

  /// Returns the channels without a listener here; nil when there was no such stream.
  func remove(_ streamID: String) -> [String]? {
    state.withLock { state in
      guard let stream = state.streams.removeValue(forKey: streamID) else { return nil }
      let userID = stream.principal.userID
      var channels: [String] = []
      state.streamsByUser[userID]?.remove(streamID)
      if state.streamsByUser[userID]?.isEmpty == true {
        state.streamsByUser[userID] = nil
        channels.append(UserKeys(userID).channel)
      }
      for group in watched(by: stream.principal) {
        state.watchersByGroup[group]?.remove(streamID)
        guard state.watchersByGroup[group]?.isEmpty == true else { continue }
        state.watchersByGroup[group] = nil
        channels.append(GroupKeys(group).channel)
      }
      return channels
    }
  }

  /// Whether the user has a stream on this node.
  func hasStream(of userID: String) -> Bool { state.withLock { $0.streamsByUser[userID] != nil } }

  // MARK: News

  /// The log of a user has grown; returns the streams to wake.
  func noteGrowth(of userID: String) -> Set<String> {
    state.withLock { state in
      let streams = state.streamsByUser[userID] ?? []
      for stream in streams { state.streams[stream]?.isDirty = true }
      return streams
    }
  }

  /// An announcement about a user of `group`; returns the streams to wake.
  func noteAnnouncement(_ event: EncodedEvent, about userID: String, in group: String) -> Set<String> {
    state.withLock { state in
      if state.openGap != nil { state.heardSinceGap.insert(userID) }
      return hand(event, about: userID, in: group, &state)
    }
  }

  /// Announcements about users of `group` that may have been missed in a gap, the oldest first; each is older than what came
  /// since about the same user. Those of a gap that is the newest no longer are left to that one.
  func noteMissed(_ missed: [(userID: String, event: EncodedEvent)], in group: String, gap: Gap) -> Set<String> {
    state.withLock { state in
      guard state.openGap == gap else { return [] }
      var woken: Set<String> = []
      for (userID, event) in missed where !state.heardSinceGap.contains(userID) {
        woken.formUnion(hand(event, about: userID, in: group, &state))
      }
      return woken
    }
  }

  /// What was missed in a gap has been repeated.
  func noteRepeated(_ gap: Gap) {
    state.withLock { state in
      guard state.openGap == gap else { return }
      state.openGap = nil
      state.heardSinceGap = []
    }
  }

  /// The gap that is to be closed.
  var openGap: Gap? { state.withLock { $0.openGap } }

  var watchedGroups: [String] { state.withLock { Array($0.watchersByGroup.keys) } }

  private func hand(
    _ event: EncodedEvent, about userID: String, in group: String, _ state: inout State
  ) -> Set<String> {
    guard let watchers = state.watchersByGroup[group], watchers.count <= limits.presenceListeners else { return [] }
    let woken = watchers.filter { state.streams[$0]?.principal.userID != userID }
    for stream in woken { state.keep(event, about: userID, for: stream, atMost: limits.presenceEventsPerUser) }
    return woken
  }

  /// Gives one stream announcements that it missed.
  func add(_ announcements: [(userID: String, event: EncodedEvent)], to streamID: String) {
    state.withLock { state in
      for (userID, event) in announcements where state.streams[streamID]?.principal.userID != userID {
        state.keep(event, about: userID, for: streamID, atMost: limits.presenceEventsPerUser)
      }
    }
  }

  /// Every log may have grown unseen; returns all streams.
  func noteGap() -> Set<String> {
    state.withLock { state in
      state.gapCount += 1
      state.openGap = Gap(generation: state.gapCount, foundAt: .now)
      state.heardSinceGap = []
      for stream in state.streams.keys { state.streams[stream]?.isDirty = true }
      return Set(state.streams.keys)
    }
  }

  /// No stream of this node is known to Redis any longer; returns all.
  func loseAll() -> Set<String> {
    state.withLock { state in
      for stream in state.streams.keys { state.streams[stream]?.isLost = true }
      return Set(state.streams.keys)
    }
  }

  /// Redis does not know these streams; returns those that are still open here.
  func lose(_ streamIDs: Set<String>) -> Set<String> {
    state.withLock { state in
      let lost = streamIDs.filter { state.streams[$0] != nil }
      for stream in lost { state.streams[stream]?.isLost = true }
      return lost
    }
  }

  // MARK: Reading

  /// What a stream has to read; its news are taken. Nil for one that must be closed.
  func takeReading(_ streamID: String) -> (isDirty: Bool, news: [EncodedEvent])? {
    state.withLock { state in
      guard let stream = state.streams[streamID], !stream.isLost else { return nil }
      state.streams[streamID]?.isDirty = false
      state.streams[streamID]?.news = [:]
      return (stream.isDirty, Array(stream.news.values))
    }
  }

  func noteUnread(_ streamID: String) { state.withLock { $0.streams[streamID]?.isDirty = true } }

  /// Some of the streams that Redis knows, each once in `turns` calls with following `turn`s.
  func portion(_ turn: Int, of turns: Int) -> [(streamID: String, principal: Principal)] {
    state.withLock { state in
      state.streams.filter {
        $0.value.isOpen && abs($0.key.utf8.reduce(0) { $0 &* 31 &+ Int($1) } % turns) == turn % turns
      }
      .map { ($0.key, $0.value.principal) }
    }
  }

  private func watched(by principal: Principal) -> Set<String> {
    principal.role == .device ? [] : principal.groups
  }
}
