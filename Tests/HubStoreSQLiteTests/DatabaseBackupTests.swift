import Foundation
import GRDB
import HubStore
import TestSupport
import Testing

@testable import HubStoreSQLite

struct DatabaseBackupTests {
  private static let suffix = ".before"
  private let folder: TemporaryFolder
  private var database: String { folder.file("hub.sqlite") }
  private var file: String { folder.file("backup.sqlite") }
  private var backup: DatabaseBackup { DatabaseBackup(database: database) }

  init() throws { folder = try TemporaryFolder() }

  private func add(_ title: String, to store: SQLiteStore) async throws {
    _ = try await Accounts(store: store).enrolDevice(title: title, groups: [], replacing: false, id: title, now: 0)
  }

  /// Makes a database with one device, which no process has open any more.
  private func makeDatabase(_ title: String) async throws {
    let store = try SQLiteStore(path: database)
    try await add(title, to: store)
    try store.close()
  }

  private func titles(in path: String) async throws -> [String] {
    let store = try SQLiteStore(path: path)
    defer { try? store.close() }
    return try await store.users().map(\.title)
  }

  private var leftOver: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".new") } }
  }

  @Test func aBackupHasWhatStandsInTheLogAlone() async throws {
    let store = try SQLiteStore(path: database)
    try await add("door", to: store)
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: database + "-wal")[.size] as? NSNumber
    ).intValue
    #expect(size > 0)
    try backup.write(to: file)
    // The store is in use until here.
    try await add("gate", to: store)
    #expect(try await titles(in: file) == ["door"])
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(try mode == 0o600 && leftOver.isEmpty)
  }

  @Test func nothingIsOverwritten() async throws {
    try await makeDatabase("door")
    try Data("precious".utf8).write(to: URL(filePath: file))
    #expect(throws: DatabaseBackupError.exists(path: file)) { try backup.write(to: file) }
    #expect(try Data(contentsOf: URL(filePath: file)) == Data("precious".utf8))
  }

  @Test func aDamagedDatabaseIsNotCopied() async throws {
    #expect(throws: DatabaseBackupError.missing(path: database)) { try backup.write(to: file) }
    try Data(repeating: 1, count: 8_192).write(to: URL(filePath: database))
    let error = #expect(throws: DatabaseBackupError.self) { try backup.write(to: file) }
    #expect(error.map { "\($0)".hasPrefix("\(database) cannot be read as a database: ") } == true)
    #expect(try !FileManager.default.fileExists(atPath: file) && leftOver.isEmpty)
  }

  @Test func aBackupReplacesTheDatabaseWhichStaysBesideIt() async throws {
    try await makeDatabase("door")
    try backup.write(to: file)
    let store = try SQLiteStore(path: database)
    try await add("gate", to: store)
    try store.close()
    let restored = try backup.restore(from: file, keepingAs: Self.suffix)
    #expect(restored == .init(accounts: 1, previous: database + Self.suffix))
    #expect(try await titles(in: database) == ["door"])
    #expect(try await titles(in: database + Self.suffix) == ["door", "gate"])
    #expect(throws: DatabaseBackupError.exists(path: database + Self.suffix)) {
      try backup.restore(from: file, keepingAs: Self.suffix)
    }
  }

  @Test func aLogThatWasLeftStaysWithItsDatabase() async throws {
    try await makeDatabase("door")
    try backup.write(to: file)
    try Data("log".utf8).write(to: URL(filePath: database + "-wal"))
    _ = try backup.restore(from: file, keepingAs: Self.suffix)
    #expect(try Data(contentsOf: URL(filePath: database + Self.suffix + "-wal")) == Data("log".utf8))
    #expect(!FileManager.default.fileExists(atPath: database + "-wal"))
    #expect(try await titles(in: database) == ["door"])
  }

  @Test func aVanishedOrDamagedDatabaseIsReplaced() async throws {
    try await makeDatabase("door")
    try backup.write(to: file)
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database + suffix) }
    #expect(try backup.restore(from: file, keepingAs: Self.suffix) == .init(accounts: 1, previous: nil))
    try Data(repeating: 1, count: 8_192).write(to: URL(filePath: database))
    #expect(try backup.restore(from: file, keepingAs: Self.suffix).previous == database + Self.suffix)
    #expect(try await titles(in: database) == ["door"])
  }

  @Test func whileAHubHasItOpenNothingIsRestored() async throws {
    let store = try SQLiteStore(path: database)
    try await add("door", to: store)
    try backup.write(to: file)
    #expect(throws: DatabaseBackupError.inUse(path: database)) {
      try backup.restore(from: file, keepingAs: Self.suffix)
    }
    #expect(try !FileManager.default.fileExists(atPath: database + Self.suffix) && leftOver.isEmpty)
  }

  @Test func otherDatabasesAndLaterVersionsAreRefused() async throws {
    try await makeDatabase("door")
    let other = try DatabaseQueue(path: file)
    try await other.write { try $0.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)") }
    #expect(throws: DatabaseBackupError.foreign(path: file)) { try backup.restore(from: file, keepingAs: Self.suffix) }
    let later = folder.file("later.sqlite")
    try backup.write(to: later)
    try await DatabaseQueue(path: later).write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('of the future')")
    }
    #expect(throws: DatabaseBackupError.newer(path: later)) {
      try backup.restore(from: later, keepingAs: Self.suffix)
    }
    #expect(try await titles(in: database) == ["door"])
  }
}
