internal import Logging
internal import SystemSupport

/// The page in memory, which follows its folder: whoever changes a file sees that at the next load.
final class PageStore: Sendable {
  let folder: PageFolder
  private let logger: Logger
  private let content: Mutex<PageContent>

  init(folder: PageFolder, logger: Logger) {
    self.folder = folder
    self.logger = logger
    let content = PageContent(of: folder, entries: folder.entries())
    self.content = Mutex(content)
    report(content)
  }

  /// The page as it was read last.
  var known: PageContent { content.withLock { $0 } }

  /// The page as it is on the disk now. Reads again what was changed: some milliseconds; to find that nothing was takes less
  /// than one.
  func current() -> PageContent {
    let entries = folder.entries()
    let fresh: PageContent? = content.withLock { content in
      guard content.entries != entries else { return nil }
      content = PageContent(of: folder, entries: entries)
      return content
    }
    guard let fresh else { return known }
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
