internal import Foundation
internal import GRDB

/// Copies of a database file: whole, though others change it meanwhile, and put back while no other process has it
/// open.
public struct DatabaseBackup: Sendable {
  /// What a restored database is, and where the one before it is now.
  public struct Restored: Sendable, Equatable {
    public var accounts: Int
    /// Nil if there was none.
    public var previous: String?
  }

  private let database: String

  public init(database: String) { self.database = database }

  /// Writes a new file of mode 0600 with all that the database holds; it appears once it has been found whole.
  ///
  /// - Throws: ``DatabaseBackupError``.
  public func write(to file: String) throws(DatabaseBackupError) {
    guard Self.exists(database) else { throw .missing(path: database) }
    guard !Self.exists(file) else { throw .exists(path: file) }
    let copy = "\(file).\(getpid()).new"
    try Self.copy(database, to: copy)
    do throws(DatabaseBackupError) {
      _ = try Self.check(copy, named: database)
      guard !Self.exists(file) else { throw .exists(path: file) }
      try Self.move(copy, to: file)
    } catch {
      unlink(copy)
      throw error
    }
  }

  /// Puts a backup in the database's place, and the database beside it.
  ///
  /// - Parameter suffix: of the name that the present database gets, such as `.before-2026-11-27`.
  /// - Throws: ``DatabaseBackupError``, where another process has the database open, and for what is no database of a
  ///   hub or that of a later version. The database has not changed then, but for a failed system call.
  public func restore(from file: String, keepingAs suffix: String) throws(DatabaseBackupError) -> Restored {
    guard Self.exists(file) else { throw .missing(path: file) }
    let previous = database + suffix
    guard !Self.exists(previous) else { throw .exists(path: previous) }
    let copy = "\(database).\(getpid()).new"
    try Self.copy(file, to: copy)
    do throws(DatabaseBackupError) {
      let accounts = try Self.check(copy, named: file)
      let lock = try DatabaseLock(database)
      defer { lock?.release() }
      for companion in ["", "-wal"] where Self.exists(database + companion) {
        try Self.move(database + companion, to: previous + companion)
      }
      // An index of the log, which SQLite makes again.
      unlink(database + "-shm")
      try Self.move(copy, to: database)
      return Restored(accounts: accounts, previous: lock == nil ? nil : previous)
    } catch {
      unlink(copy)
      throw error
    }
  }

  // MARK: Steps

  /// By SQLite, which reads the log of changes as well; the copy has none.
  private static func copy(_ source: String, to copy: String) throws(DatabaseBackupError) {
    let descriptor = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(path: copy, errno: errno) }
    close(descriptor)
    do {
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      let target = try DatabaseQueue(path: copy, configuration: configuration)
      configuration.readonly = true
      try DatabaseQueue(path: source, configuration: configuration).backup(to: target)
      try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
      try target.close()
    } catch {
      unlink(copy)
      throw .unreadable(path: source, reason: text(error))
    }
  }

  /// Returns the number of accounts.
  private static func check(_ copy: String, named name: String) throws(DatabaseBackupError) -> Int {
    let found: (finding: String?, isKnown: Bool, isNewer: Bool, accounts: Int)
    do {
      let database = try DatabaseQueue(path: copy)
      defer { try? database.close() }
      found = try database.read { database in
        let isKnown = try Schema.migrator.appliedIdentifiers(database).contains(Schema.first)
        return (
          try String.fetchOne(database, sql: "PRAGMA integrity_check(1)"), isKnown,
          try Schema.migrator.hasBeenSuperseded(database), isKnown ? try UserRow.fetchCount(database) : 0
        )
      }
    } catch {
      throw .unreadable(path: name, reason: text(error))
    }
    guard found.finding == "ok" else { throw .unreadable(path: name, reason: found.finding ?? "it cannot be checked") }
    guard found.isKnown else { throw .foreign(path: name) }
    guard !found.isNewer else { throw .newer(path: name) }
    return found.accounts
  }

  /// Durably.
  private static func move(_ source: String, to target: String) throws(DatabaseBackupError) {
    let descriptor = open(source, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(path: source, errno: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(path: source, errno: errno) }
    guard rename(source, target) == 0 else { throw .system(path: target, errno: errno) }
    // A file system that cannot do that has done its best.
    let folder = open((target as NSString).deletingLastPathComponent + "/.", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private static func text(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(error)" }
    return error.message ?? "SQLite error \(error.resultCode.rawValue)"
  }
}

/// Why a backup was not made or not put back.
public enum DatabaseBackupError: Error, Equatable, Sendable {
  case missing(path: String)
  case exists(path: String)
  case unreadable(path: String, reason: String)
  /// A database, but not of a hub.
  case foreign(path: String)
  /// Of a hub of a later version.
  case newer(path: String)
  /// Another process has the database open.
  case inUse(path: String)
  case system(path: String, errno: Int32)
}

extension DatabaseBackupError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .missing(let path): "\(path): no such file"
    case .exists(let path): "\(path) exists already; name another file"
    case .unreadable(let path, let reason): "\(path) cannot be read as a database: \(reason)"
    case .foreign(let path): "\(path) is not a database of the hub"
    case .newer(let path): "\(path) is of a later version of the hub; install that version"
    case .inUse(let path): "\(path) is in use; stop the hub: systemctl stop livesessions-hub"
    case .system(let path, let code): "\(path): \(String(cString: strerror(code)))"
    }
  }
}
