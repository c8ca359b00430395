internal import Glibc
internal import Locking
public import Logging
internal import PrivateFiles

/// Whether somebody is at home, as somebody at the device has said last; kept in a file, so that it outlasts restarts.
///
/// Nobody is, until somebody says so: a device on its own is what events are for.
public final class HomeFlag: Sendable {
  /// The file cannot be written.
  public struct Failure: Error, CustomStringConvertible {
    public let path: String
    /// errno.
    public let code: Int32

    public var description: String {
      "who is at home cannot be kept in \(path): \(String(cString: strerror(code))); see device.state_directory"
    }
  }

  private static let (yes, no) = ("yes", "no")

  private let path: String
  private let logger: Logger
  private let state: Mutex<Bool>

  /// Reads the file. One that cannot be read is told, and means nobody.
  public init(path: String, logger: Logger) {
    self.path = path
    self.logger = logger
    state = Mutex(Self.read(path, logger))
  }

  public var isHome: Bool { state.withLock { $0 } }

  /// Keeps it, and has it hold from now on. Waits for the disk.
  public func set(_ isHome: Bool) throws(Failure) {
    do throws(PrivateFile.Failure) {
      try PrivateFile.replace(path, with: Array("\(isHome ? Self.yes : Self.no)\n".utf8))
    } catch {
      throw Failure(path: path, code: error.errno)
    }
    let wasHome = state.withLock { state in
      defer { state = isHome }
      return state
    }
    if wasHome != isHome { logger.notice("\(isHome ? "somebody" : "nobody") is at home from now on") }
  }

  private static func read(_ path: String, _ logger: Logger) -> Bool {
    do throws(PrivateFile.Failure) {
      guard let contents = try PrivateFile.read(path, limit: 16) else { return false }
      let word = String(decoding: contents.octets.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      if word != yes, word != no { logger.error("\(path) says neither yes nor no: nobody is taken to be at home") }
      return word == yes
    } catch {
      logger.error("\(path) cannot be read (\(String(cString: strerror(error.errno)))): nobody is taken to be at home")
      return false
    }
  }
}
