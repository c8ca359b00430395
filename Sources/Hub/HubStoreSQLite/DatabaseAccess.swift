internal import Foundation
internal import GRDB
internal import HubStore
internal import SystemSupport

/// The database file; while its disk is full, a copy in memory of what it holds.
///
/// SQLite opens no file with a write-ahead log on a full disk: the log's index needs some pages of its own. A connection
/// that has the file for itself keeps the index in memory, and can read. So a hub that is started on a full disk knows
/// its accounts; it opens the file as soon as that works.
final class DatabaseAccess: Sendable {
  private enum Form {
    case file
    /// - `nextTry`: when opening the file is tried again; nil while that is under way.
    case copy(nextTry: ContinuousClock.Instant?)
  }

  private struct State: ~Copyable {
    var database: any DatabaseWriter
    var form: Form
    var isClosed = false
  }

  /// What opens a database; tests have one of their own.
  typealias Opener = @Sendable (_ path: String) throws -> any DatabaseWriter

  private let path: String
  private let onDiskFull: @Sendable (Bool) -> Void
  private let open: Opener
  private let retryInterval: Duration
  /// Opens the file again: that and migrations take as long as the disk and other processes want, and requests do not wait.
  private let opening = DispatchQueue(label: "hub-database-open")
  private let state: Mutex<State>

  /// `onDiskFull` is called when the copy stands in (true), and when the file has been opened after that (false).
  init(
    path: String, retryInterval: Duration = .seconds(10), open: @escaping Opener = openFile,
    onDiskFull: @escaping @Sendable (Bool) -> Void
  ) throws {
    (self.path, self.retryInterval, self.open, self.onDiskFull) = (path, retryInterval, open, onDiskFull)
    do {
      state = Mutex(State(database: try open(path), form: .file))
    } catch let error where Self.isDiskFull(error, path) {
      state = Mutex(State(database: try Self.copy(path), form: .copy(nextTry: .now + retryInterval)))
      onDiskFull(true)
    }
  }

  /// Waits for an attempt to open the file that is under way.
  func close() throws {
    state.withLock { $0.isClosed = true }
    opening.sync {}
    try state.withLock { try $0.database.close() }
  }

  /// The file, or its copy.
  var reader: any DatabaseReader { current().database }

  /// Changes the file; throws ``HubStore/HubStoreError/diskFull`` where that is why it cannot.
  func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    let (database, isCopy) = current()
    if isCopy { throw HubStoreError.diskFull }
    do {
      return try await database.write(change)
    } catch let error where Self.isDiskFull(error, path) || Self.isReadOnly(error) {
      throw HubStoreError.diskFull
    }
  }

  /// The file system takes no changes, as after an error of the disk: known accounts can log in all the same.
  private static func isReadOnly(_ error: any Error) -> Bool {
    (error as? DatabaseError)?.resultCode == .SQLITE_READONLY
  }

  /// Has the file opened in the background when that is due.
  private func current() -> (database: any DatabaseWriter, isCopy: Bool) {
    let (database, isCopy, isDue) = state.withLock { state -> (any DatabaseWriter, Bool, Bool) in
      guard case .copy(let nextTry) = state.form else { return (state.database, false, false) }
      let isDue = !state.isClosed && nextTry.map { $0 <= .now } ?? false
      if isDue { state.form = .copy(nextTry: nil) }
      return (state.database, true, isDue)
    }
    if isDue { opening.async { self.reopen() } }
    return (database, isCopy)
  }

  private func reopen() {
    let opened = try? open(path)
    let isUsed = state.withLock { state in
      guard let opened, !state.isClosed else {
        state.form = .copy(nextTry: .now + retryInterval)
        return false
      }
      state.database = opened
      state.form = .file
      return true
    }
    if isUsed { onDiskFull(false) } else { try? opened?.close() }
  }

  // MARK: Ways to open the file

  @Sendable private static func openFile(_ path: String) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 4
    try checkWhole(path)
    let database = try DatabasePool(path: path, configuration: configuration)
    try Schema.migrator.migrate(database)
    return database
  }

  /// A file that has lost pages opens all the same, and fails with the first account that is on one of them. It is read by a
  /// connection that changes nothing, since to close another one writes the log into the file.
  private static func checkWhole(_ path: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    let database = try DatabaseQueue(path: path, configuration: configuration)
    defer { try? database.close() }
    let finding = try database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
    guard finding == "ok" else { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: finding) }
  }

  private static func copy(_ path: String) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    let file = try DatabaseQueue(path: path, configuration: configuration)
    let copy = try DatabaseQueue()
    do {
      try file.backup(to: copy)
      try Schema.migrator.migrate(copy)
      guard try copy.read({ try SigningKeyRow.fetchCount($0) }) > 0 else { throw HubStoreError.diskFull }
    } catch let error where isDiskFull(error, path) {
      throw HubStoreError.diskFull
    }
    return copy
  }

  /// A full disk is `SQLITE_FULL` for the file itself, and an I/O error for its companions.
  private static func isDiskFull(_ error: any Error, _ path: String) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    switch error.resultCode {
    case .SQLITE_FULL: return true
    case .SQLITE_IOERR, .SQLITE_CANTOPEN: return freeBytes(path) < leastFreeBytes
    default: return false
    }
  }

  /// What the companions of a database take when it is opened.
  private static let leastFreeBytes: Int64 = 128 * 1024

  private static func freeBytes(_ path: String) -> Int64 {
    let folder = (path as NSString).deletingLastPathComponent
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder.isEmpty ? "." : folder)
    return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? .max
  }
}
