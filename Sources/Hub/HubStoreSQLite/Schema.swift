import GRDB

/// The tables and how they came to be: a released migration is never changed.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 users and signing keys") { database in
      try database.create(table: "user") { table in
        table.primaryKey("id", .text)
        table.column("title", .text).notNull()
        table.column("titleKey", .text).notNull().unique()
        table.column("role", .text).notNull()
        table.column("kind", .text).notNull()
        table.column("groups", .text).notNull()
        table.column("credentialKind", .text).notNull()
        table.column("credential", .text).notNull()
        table.column("createdAt", .integer).notNull()
      }
      try database.create(table: "signingKey") { table in
        table.primaryKey("keyID", .text)
        table.column("privateKey", .blob).notNull()
        table.column("createdAt", .integer).notNull()
      }
    }
    return migrator
  }
}
