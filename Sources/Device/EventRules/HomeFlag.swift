public import SystemSupport
public import Logging

/// Whether anyone is at home, as set last at the device; kept in a file, so that it outlasts restarts.
///
/// The default is no: a device on its own is what events are for.
public final class HomeFlag: Sendable {
  /// The file cannot be written, so that the setting lasts until the daemon ends.
  public struct Failure: Error, CustomStringConvertible {
    public let fault: StateFault

    public var description: String { fault.description }
  }

  private static let (yes, no) = ("yes", "no")

  private let path: String
  private let logger: Logger
  private let state: Mutex<Bool>

  /// Reads the file. One that cannot be read is logged, and means that no one is at home.
  public init(path: String, logger: Logger) {
    self.path = path
    self.logger = logger
    state = Mutex(Self.read(path, logger))
  }

  public var isHome: Bool { state.withLock { $0 } }

  /// Has it hold from now on, and keeps it. Waits for the disk.
  ///
  /// - Throws: ``Failure`` where it holds and cannot be kept.
  public func set(_ isHome: Bool) throws(Failure) {
    let wasHome = state.withLock { state in
      defer { state = isHome }
      return state
    }
    if wasHome != isHome { logger.notice("\(isHome ? "someone" : "no one") is at home from now on") }
    do throws(SystemCallError) {
      try PrivateFile.replace(path, with: Array("\(isHome ? Self.yes : Self.no)\n".utf8))
    } catch {
      throw Failure(fault: StateFault(path, .unwritable(error), "the home setting lasts until the daemon ends"))
    }
  }

  private static func read(_ path: String, _ logger: Logger) -> Bool {
    let assumption = "no one is assumed to be at home"
    do throws(SystemCallError) {
      guard let contents = try PrivateFile.read(path, limit: 16) else { return false }
      let word = String(decoding: contents.octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      guard word == yes || word == no else {
        let kept = try? PrivateFile.setAside(path)
        logger.error("\(StateFault(path, .damaged(keptAs: kept), assumption))")
        return false
      }
      return word == yes
    } catch {
      logger.error("\(StateFault(path, .unreadable(error), assumption))")
      return false
    }
  }
}
