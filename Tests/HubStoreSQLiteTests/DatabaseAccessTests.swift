import Dispatch
import Foundation
import GRDB
import HubStore
import SystemSupport
import TestSupport
import Testing

@testable import HubStoreSQLite

/// A file that could not be opened on a full disk is opened again while requests are served from the copy.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseAccessTests {
  @Test func nobodyWaitsForAFileThatIsSlowToOpen() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("hub-access-\(UUID().uuidString)").path
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
    let store = try SQLiteStore(path: path)
    try await store.insert(SigningKeyRecord(keyID: "k", privateKey: [1], createdAt: 1))
    try store.close()
    let attempts = Mutex(0)
    let gate = DispatchSemaphore(value: 0)
    let isFull = Mutex<[Bool]>([])
    let access = try DatabaseAccess(path: path, retryInterval: .zero) { path in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      if attempt == 1 { throw DatabaseError(resultCode: .SQLITE_FULL) }
      gate.wait()
      return try DatabasePool(path: path)
    } onDiskFull: { full in
      isFull.withLock { $0.append(full) }
    }
    for _ in 0..<20 {
      let keys = try await access.reader.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM signingKey") }
      #expect(keys == 1)
    }
    await #expect(throws: HubStoreError.diskFull) { try await access.write { _ in } }
    gate.signal()
    try await eventually { isFull.withLock { $0 } == [true, false] }
    try await access.write { try $0.execute(sql: "DELETE FROM signingKey") }
    #expect(attempts.withLock { $0 } == 2)
    try access.close()
  }
}
