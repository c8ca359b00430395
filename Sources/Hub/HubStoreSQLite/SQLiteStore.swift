internal import Foundation
internal import GRDB
internal import HubCore
public import HubStore
internal import Signalling

/// The store in one SQLite file (write-ahead log), which several processes may open at the same time.
///
/// The file holds signing keys and password hashes: it is made with mode 0600.
public final class SQLiteStore: HubStore {
  let access: DatabaseAccess
  private let file: FileChanges?

  /// Opens the file, makes it if it is not there, and brings its tables up to date.
  ///
  /// On a full disk what the file holds can be read, and changes throw ``HubStore/HubStoreError/diskFull``, until there
  /// is room again; `onDiskFull` is called for both (true, then false). It throws that error where the file holds
  /// nothing yet.
  public init(path: String, onDiskFull: @escaping @Sendable (Bool) -> Void = { _ in }) throws {
    try Self.makePrivateFile(at: path)
    try Self.checkBeginning(of: path)
    do {
      access = try DatabaseAccess(path: path, onDiskFull: onDiskFull)
    } catch let error as DatabaseError {
      throw SQLiteStoreError(error)
    }
    file = FileChanges(path: path)
  }

  public var mayHoldLookAlikes: Bool { true }

  public func close() throws {
    try access.close()
  }

  public func user(id: String) async throws -> UserRecord? {
    try await row("id = ?", id)?.record()
  }

  public func user(title: String) async throws -> UserRecord? {
    let spelling = title.lowercased()
    let keys = [spelling, UserRecord.titleKey(title)]
    let rows = try await access.reader.read { try UserRow.filter(keys.contains(Column("titleKey"))).fetchAll($0) }
    return try (rows.first { $0.titleKey == spelling } ?? rows.first)?.record()
  }

  public func user(enrolmentKey hashed: String) async throws -> UserRecord? {
    try await row("credentialKind = '\(UserRow.enrolmentKeyKind)' AND credential = ?", hashed)?.record()
  }

  /// The row of one user. A statement by itself is consistent, so it needs no transaction, which would take longer than the
  /// statement.
  private func row(_ condition: String, _ value: String) async throws -> UserRow? {
    try await access.reader.unsafeRead { database in
      let statement = try database.cachedStatement(sql: "SELECT * FROM user WHERE \(condition)")
      return try UserRow.fetchOne(statement, arguments: [value])
    }
  }

  public func users() async throws -> [UserRecord] {
    try await access.reader.read { try UserRow.order(Column("titleKey")).fetchAll($0).map { try $0.record() } }
  }

  public func insert(_ user: UserRecord) async throws {
    try await write { try UserRow(user).insert($0) }
  }

  public func update(_ user: UserRecord) async throws {
    try await write { try Self.update(user, in: $0) }
  }

  public func update(
    _ user: UserRecord, ifStill before: UserRecord, leaving rest: AccountRemainder
  ) async throws -> Bool {
    try await write { database in
      guard try UserRow.fetchOne(database, key: user.id)?.record() == before else { return false }
      try Self.check(rest, of: before, becoming: user, in: database)
      try Self.update(user, in: database)
      return true
    }
  }

  private static func update(_ user: UserRecord, in database: Database) throws {
    var row = try UserRow(user)
    if let stored = try UserRow.fetchOne(database, key: user.id) {
      row.credentialGeneration = stored.credentialGeneration + (row.hasCredential(of: stored) ? 0 : 1)
      // The key of an account of an earlier version may be another, see ``TitleKeys``.
      if stored.title == row.title { row.titleKey = stored.titleKey }
    }
    try row.update(database)
  }

  private static func check(
    _ rest: AccountRemainder, of before: UserRecord, becoming after: UserRecord?, in database: Database
  ) throws {
    switch rest {
    case .anything: return
    case .someoneInCharge:
      guard before.standing.givesUpCharge(becoming: after?.standing) else { return }
      let inCharge = try UserRow.filter(Column("role") == UserRole.operator.rawValue).fetchAll(database)
      let others = try inCharge.map { try $0.record().standing }
      if before.standing.isLastInCharge(becoming: after?.standing, among: others) { throw HubStoreError.lastInCharge }
    }
  }

  @discardableResult
  public func removeUser(id: String, leaving rest: AccountRemainder) async throws -> Bool {
    try await access.write { database in
      guard let stored = try UserRow.fetchOne(database, key: id) else { return false }
      // An account that cannot be read is removed all the same.
      if let user = try? stored.record() { try Self.check(rest, of: user, becoming: nil, in: database) }
      try LoginRow.filter(Column("userID") == id).deleteAll(database)
      try PushSubscriptionRow.filter(Column("userID") == id).deleteAll(database)
      try CallRow.filter(Column("ownerID") == id).deleteAll(database)
      try CallsSeenRow.deleteOne(database, key: id)
      try SeenRow.deleteOne(database, key: id)
      try ReportRow.deleteOne(database, key: id)
      return try UserRow.deleteOne(database, key: id)
    }
  }

  public func accountRevision() async throws -> Int64 {
    try await access.reader.read { try Int64.fetchOne($0, sql: "SELECT revision FROM accountRevision") ?? 0 }
  }

  public var notifiesOfAccountChanges: Bool { file != nil }

  public func accountChanges() -> AsyncStream<Void> { file?.listen() ?? AsyncStream { $0.finish() } }

  public func signingKeys() async throws -> [SigningKeyRecord] {
    try await access.reader.read { database in
      try SigningKeyRow.order(Column("createdAt"), Column("keyID")).fetchAll(database).map(\.record)
    }
  }

  public func insert(_ key: SigningKeyRecord) async throws {
    try await access.write { try SigningKeyRow(key).insert($0) }
  }

  public func insertFirst(_ key: SigningKeyRecord) async throws -> [SigningKeyRecord] {
    try await access.write { database in
      if try SigningKeyRow.fetchCount(database) == 0 { try SigningKeyRow(key).insert(database) }
      return try SigningKeyRow.order(Column("createdAt"), Column("keyID")).fetchAll(database).map(\.record)
    }
  }

  /// Runs a change of users and names what SQLite's constraints refuse.
  private func write<Value: Sendable>(
    _ change: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    do {
      return try await access.write(change)
    } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
      throw HubStoreError.titleTaken
    } catch RecordError.recordNotFound {
      throw HubStoreError.unknownUser
    }
  }

  /// What is no database is not opened: SQLite would write the log of changes that lies beside it into it.
  private static func checkBeginning(of path: String) throws {
    let beginning = Data("SQLite format 3\0".utf8)
    guard let file = FileHandle(forReadingAtPath: path), let found = try? file.read(upToCount: beginning.count) else {
      return
    }
    guard found.isEmpty || found == beginning else {
      throw SQLiteStoreError.damaged(reason: "it is no SQLite database")
    }
  }

  /// SQLite gives its companion files the mode of the main one.
  private static func makePrivateFile(at path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    // Accounts are often made before the service's first start, which would make the folder.
    try? FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: false,
      attributes: [.posixPermissions: NSNumber(value: 0o700)])
    let isMade = FileManager.default.createFile(
      atPath: path, contents: nil, attributes: [.posixPermissions: NSNumber(value: 0o600)])
    guard isMade else { throw SQLiteStoreError.cannotCreate(path: path) }
  }
}

/// Why a database file cannot be used.
public enum SQLiteStoreError: Error, CustomStringConvertible {
  case cannotCreate(path: String)
  case damaged(reason: String)
  case cannotOpen(reason: String)

  public var description: String {
    switch self {
    case .damaged(let reason):
      "it is damaged (\(reason)); put it back from a backup, or save what is left with sqlite3's .recover: the hub leaves it as it is"
    case .cannotOpen(let reason):
      "it cannot be opened (\(reason)); can the hub's user read and write it and its folder, and is the file system writable?"
    case .cannotCreate(let path): "cannot create \(path); make its folder, or name another with --database"
    }
  }
}

extension SQLiteStoreError {
  fileprivate init(_ error: DatabaseError) {
    let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
    self =
      [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode)
      ? .damaged(reason: reason) : .cannotOpen(reason: reason)
  }
}
