import GRDB
import HubStore

/// Gives accounts that were made when titles were compared by case alone the keys of ``UserRecord/titleKey(_:)``.
///
/// Where several accounts come to one key, the account that has it already keeps it, else the oldest gets it; the
/// others stay under the key they have, by which their own spelling finds them.
enum TitleKeys {
  private struct Account {
    var id: String
    var storedKey: String
    var key: String
  }

  static func renew(in database: Database) throws {
    var taken: Set<String> = []
    var changed: [Account] = []
    for account in try accounts(in: database) {
      var key = account.key
      if taken.contains(key) { key = account.storedKey }
      // Two stored keys differ, and a stored key differs from the new key of every other title that is not its own.
      // Were that not so for some text, the account must still not stop the hub.
      if taken.contains(key) { key += " \(account.id)" }
      taken.insert(key)
      if key != account.storedKey { changed.append(Account(id: account.id, storedKey: account.storedKey, key: key)) }
    }
    try store(changed, in: database)
  }

  /// Those that have their new key already, then the others by age.
  private static func accounts(in database: Database) throws -> [Account] {
    let rows = try Row.fetchAll(database, sql: "SELECT id, title, titleKey FROM user ORDER BY createdAt, id")
    let all = rows.map { Account(id: $0["id"], storedKey: $0["titleKey"], key: UserRecord.titleKey($0["title"])) }
    return all.filter { $0.key == $0.storedKey } + all.filter { $0.key != $0.storedKey }
  }

  /// In two steps, since a new key may be one that another account is about to give up.
  private static func store(_ changed: [Account], in database: Database) throws {
    for account in changed {
      try database.execute(sql: "UPDATE user SET titleKey = char(1) || id WHERE id = ?", arguments: [account.id])
    }
    for account in changed {
      try database.execute(sql: "UPDATE user SET titleKey = ? WHERE id = ?", arguments: [account.key, account.id])
    }
  }
}
