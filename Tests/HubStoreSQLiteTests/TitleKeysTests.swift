import Foundation
import GRDB
import HubCore
import HubStore
import Testing

@testable import HubStoreSQLite

/// Databases of a version that compared titles by case alone.
struct TitleKeysTests {
  /// Opens a database with users of these titles, the first the oldest, whose ids are `1`, `2` and so on.
  private func withStore(_ titles: [String], _ body: (SQLiteStore) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("hub-keys-\(UUID().uuidString)").path
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) } }
    let queue = try DatabaseQueue(path: file)
    try Schema.migrator.migrate(queue, upTo: "1 users and signing keys")
    try await queue.write { database in
      for (index, title) in titles.enumerated() {
        try database.execute(
          sql: "INSERT INTO user VALUES (?, ?, ?, 'user', 'person', '[\"default\"]', 'password', 'hash', ?)",
          arguments: ["\(index + 1)", title, title.lowercased(), index])
      }
    }
    try queue.close()
    let store = try SQLiteStore(path: file)
    try await body(store)
    try store.close()
  }

  @Test func accountsAreFoundByTheNewKeysAndBlockLookAlikes() async throws {
    try await withStore(["Front door", "\u{410}dmin", "Kitchen\u{200B}", "Bar\u{A0}1"]) { store async throws in
      for (title, id) in [
        ("front DOOR", "1"), ("Fr\u{43E}nt door", "1"), ("\u{410}DMIN", "2"), ("Admin", "2"), ("Kitchen\u{200B}", "3"),
        ("kitchen", "3"), ("Bar\u{A0}1", "4"), ("bar 1", "4"),
      ] { #expect(try await store.user(title: title)?.id == id, "\(title)") }
      await #expect(throws: HubStoreError.titleTaken) {
        _ = try await Accounts(store: store).enrolDevice(title: "Admin", groups: [], replacing: false, id: "9", now: 9)
      }
    }
  }

  @Test(arguments: [["Front door", "Fr\u{43E}nt door"], ["Fr\u{43E}nt door", "Front door"]])
  func collidingAccountsKeepWorkingUnderTheirOwnSpelling(titles: [String]) async throws {
    try await withStore(titles + ["Front\u{200B} d\u{43E}or", "X"]) { store async throws in
      #expect(try await store.users().count == 4)
      for (index, title) in titles.enumerated() {
        var user = try #require(try await store.user(title: title))
        #expect(user.id == "\(index + 1)")
        #expect(try await store.user(title: title.uppercased())?.id == user.id)
        user.credential = .password("changed")
        try await store.update(user)
        user.credentialGeneration += 1
        #expect(try await store.user(title: title) == user)
      }
      #expect(try await store.user(title: "Front\u{200B} d\u{43E}or")?.id == "3")
      #expect(try await store.user(title: "Fr\u{43E}nt d\u{43E}\u{43E}r")?.title == "Front door")
    }
  }

  @Test func aKeyThatAnotherGivesUpCanBeTaken() async throws {
    // The second account's new key is the first's old one.
    try await withStore(["a\u{200B}", "a"]) { store async throws in
      #expect(try await store.user(title: "a")?.id == "2")
      #expect(try await store.user(title: "a\u{200B}")?.id == "1")
    }
  }
}
