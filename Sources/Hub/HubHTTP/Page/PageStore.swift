internal import HubCore
internal import Logging
internal import SystemSupport

/// The page in memory, which follows its folder: anyone who changes a file sees that at a load a second later.
final class PageStore: Sendable {
  private struct State {
    var content: PageContent
    var checkedAt: Instant
  }

  let folder: PageFolder
  private let logger: Logger
  private let state: Mutex<State>
  /// Looking at all files takes milliseconds, which must not be spent on each request: anybody can make one.
  private static let interval: Duration = .seconds(1)

  init(folder: PageFolder, logger: Logger) {
    self.folder = folder
    self.logger = logger
    let content = PageContent(of: folder, entries: folder.entries())
    state = Mutex(State(content: content, checkedAt: .now))
    report(content)
  }

  /// The page as it was read last.
  var known: PageContent { state.withLock { $0.content } }

  /// The page as it was on the disk at most a second ago. One request has it read, away from the event loops, if it was
  /// changed; others get the earlier page meanwhile.
  func current() async -> PageContent {
    let now = Instant.now
    let (known, isDue) = state.withLock { state in
      guard state.checkedAt.duration(to: now) >= Self.interval else { return (state.content, false) }
      state.checkedAt = now
      return (state.content, true)
    }
    guard isDue else { return known }
    return await withTaskExecutorPreference(globalConcurrentExecutor) { readAgain(known) }
  }

  private func readAgain(_ known: PageContent) -> PageContent {
    let entries = folder.entries()
    guard known.entries != entries else { return known }
    let fresh = PageContent(of: folder, entries: entries)
    state.withLock { $0.content = fresh }
    report(fresh)
    return fresh
  }

  private func report(_ content: PageContent) {
    guard let obstacle = content.obstacle else { return }
    logger.warning(
      "the page's modules are sent one by one, which takes longer: write the line as other modules do",
      metadata: ["module": "\(obstacle.path)", "reason": "\(obstacle.reason)"])
  }
}
