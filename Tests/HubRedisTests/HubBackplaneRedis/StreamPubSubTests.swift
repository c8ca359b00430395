import HubCore
import SystemSupport
import Logging
import Signalling
import TestSupport
import Testing

@testable import HubRedis
@testable import RedisClient

/// What was announced while nobody listened is repeated, whatever happens meanwhile.
@Suite(.timeLimit(.minutes(1)))
struct StreamNewsTests {
  @Test func aGapWhileAnotherIsClosedLosesNothing() async throws {
    let redis = ScriptedPubSub()
    try await run(redis) { news, node in
      news.closeGap()
      try await redis.waitForReads(1)
      // Another connection is lost and comes back while the first reading waits, and what is read after it is newer.
      news.closeGap()
      redis.answer(with: .success([ScriptedPubSub.entry("ann", "1")]))
      try await redis.waitForReads(2)
      redis.answer(with: .success([ScriptedPubSub.entry("ann", "1"), ScriptedPubSub.entry("ann", "2")]))
      #expect(try await self.firstNews(node) == ["2"])
    }
  }

  @Test func aReadingThatFailsIsRepeated() async throws {
    let redis = ScriptedPubSub()
    try await run(redis) { news, node in
      news.closeGap()
      try await redis.waitForReads(1)
      redis.answer(with: .failure(.overloaded))
      try await redis.waitForReads(2)
      redis.answer(with: .success([ScriptedPubSub.entry("ann", "1")]))
      #expect(try await self.firstNews(node) == ["1"])
    }
  }

  @Test func whatIsHeardAfterTheGapIsNewerThanWhatIsRepeated() async throws {
    let redis = ScriptedPubSub()
    try await run(redis) { news, node in
      news.closeGap()
      try await redis.waitForReads(1)
      _ = node.registry.noteAnnouncement(ScriptedPubSub.event("ann", "2"), about: "ann", in: "g")
      redis.answer(with: .success([ScriptedPubSub.entry("ann", "1"), ScriptedPubSub.entry("ben", "1")]))
      var seen: Set<String> = []
      while seen.count < 2 { seen.formUnion(try await self.firstNews(node)) }
      #expect(seen == ["1", "2"])
    }
  }

  private func run(
    _ redis: ScriptedPubSub, _ body: @Sendable (StreamPubSub, NodeContext) async throws -> Void
  ) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let link = RedisLink(logger: logger, send: redis.send)
    let node = NodeContext(link: link, limits: HubLimits(), name: "n")
    let watcher = Principal(userID: "bob", userTitle: "Bob", role: .user, kind: .person, groups: ["g"])
    _ = node.registry.insert("s", of: watcher)
    let news = StreamPubSub(node: node, announcer: Announcer(link: link, limits: node.limits)) { _ in }
    try await withThrowingTaskGroup { group in
      group.addTask { await news.run() }
      try await body(news, node)
      group.cancelAll()
    }
  }

  /// What the watcher's stream reads next, once there is something.
  private func firstNews(_ node: NodeContext) async throws -> [String] {
    while true {
      let read = try #require(node.registry.takeReading("s"))
      if !read.news.isEmpty { return read.news.map(\.data) }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}

/// Answers readings of announcements when the test says so.
private final class ScriptedPubSub: Sendable {
  private struct State {
    var reads = 0
    var waiting: CheckedContinuation<Result<[RedisValue], RedisFailure>, Never>?
  }

  private let state = Mutex(State())

  static func event(_ userID: String, _ data: String) -> EncodedEvent {
    EncodedEvent(name: .presence, data: data, subject: userID)
  }

  static func entry(_ userID: String, _ data: String) -> RedisValue {
    let message = #"{"userID":"\#(userID)","data":"\#(data)"}"#
    return .array([.string(Array("1-0".utf8)), .array([.string(Array("m".utf8)), .string(Array(message.utf8))])])
  }

  func send(_ stages: [[RedisCommand]]) async throws(RedisFailure) -> [RedisValue] {
    let result = await withCheckedContinuation { continuation in
      state.withLock { state in
        state.reads += 1
        state.waiting = continuation
      }
    }
    return [.array(try result.get())]
  }

  func answer(with result: Result<[RedisValue], RedisFailure>) {
    state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }?.resume(returning: result)
  }

  func waitForReads(_ count: Int) async throws {
    try await eventually { state.withLock { $0.reads >= count && $0.waiting != nil } }
  }
}
