internal import Foundation
internal import GRDB
internal import HubStore
internal import Locking

/// The database file; while its disk is full, a copy in memory of what it holds.
///
/// SQLite opens no file with a write-ahead log on a full disk: the log's index needs some pages of its own. A connection
/// that has the file for itself keeps the index in memory, and can read. So a hub that is started on a full disk knows
/// its accounts; it opens the file as soon as that works.
final class DatabaseAccess: Sendable {
  private struct State: ~Copyable {
    var database: any DatabaseWriter
    /// When opening the file was tried last; nil when it is open.
    var triedAt: ContinuousClock.Instant?
  }

  private static let retryInterval: Duration = .seconds(10)

  private let path: String
  private let onDiskFull: @Sendable (Bool) -> Void
  private let state: Mutex<State>

  /// `onDiskFull` is told when the copy stands in (true), and when the file has been opened after that (false).
  init(path: String, onDiskFull: @escaping @Sendable (Bool) -> Void) throws {
    self.path = path
    self.onDiskFull = onDiskFull
    do {
      state = Mutex(State(database: try Self.open(path), triedAt: nil))
    } catch let error where Self.isDiskFull(error, path) {
      state = Mutex(State(database: try Self.copy(path), triedAt: .now))
      onDiskFull(true)
    }
  }

  func close() throws {
    try state.withLock { try $0.database.close() }
  }

  /// The file, or its copy.
  var reader: any DatabaseReader { reopen().database }

  /// Changes the file; throws ``HubStore/HubStoreError/diskFull`` where that is why it cannot.
  func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    let (database, isCopy) = reopen()
    if isCopy { throw HubStoreError.diskFull }
    do {
      return try await database.write(change)
    } catch let error where Self.isDiskFull(error, path) {
      throw HubStoreError.diskFull
    }
  }

  private func reopen() -> (database: any DatabaseWriter, isCopy: Bool) {
    let (result, isOpened) = state.withLock { state -> ((any DatabaseWriter, Bool), Bool) in
      guard let triedAt = state.triedAt else { return ((state.database, false), false) }
      guard triedAt.duration(to: .now) >= Self.retryInterval else { return ((state.database, true), false) }
      guard let opened = try? Self.open(path) else {
        state.triedAt = .now
        return ((state.database, true), false)
      }
      state.database = opened
      state.triedAt = nil
      return ((opened, false), true)
    }
    if isOpened { onDiskFull(false) }
    return result
  }

  // MARK: Ways to open the file

  private static func open(_ path: String) throws -> any DatabaseWriter {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 4
    let database = try DatabasePool(path: path, configuration: configuration)
    try Schema.migrator.migrate(database)
    return database
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
