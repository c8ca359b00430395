import GRDB

/// The tables and how they came to be: a released migration is never changed.
enum Schema {
  /// What each database of a hub has seen.
  static let first = "1 users and signing keys"

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration(first) { database in
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
    migrator.registerMigration("2 credential generations and the account revision") { database in
      try database.alter(table: "user") { table in
        table.add(column: "credentialGeneration", .integer).notNull().defaults(to: 1)
      }
      try database.execute(
        sql: "CREATE INDEX userByEnrolmentKey ON user(credential) WHERE credentialKind = 'enrolmentKey'")
      try makeAccountRevision(database)
    }
    migrator.registerMigration("title keys after RFC 8266") { database in
      try TitleKeys.renew(in: database)
    }
    migrator.registerMigration("logins") { database in
      try makeLogins(database)
    }
    migrator.registerMigration("push subscriptions") { database in
      try makePushSubscriptions(database)
    }
    migrator.registerMigration("call history") { database in
      try makeCalls(database)
    }
    migrator.registerMigration("audit log") { database in
      try makeAudit(database)
    }
    migrator.registerMigration("administrators, disabled accounts and when users were seen") { database in
      try database.alter(table: "user") { table in
        table.add(column: "isAdministrator", .boolean).notNull().defaults(to: false)
        table.add(column: "isDisabled", .boolean).notNull().defaults(to: false)
      }
      try database.create(table: "seen") { table in
        table.primaryKey("userID", .text)
        table.column("at", .integer).notNull()
        table.column("client", .text).notNull()
      }
    }
    migrator.registerMigration("invitations") { database in
      try database.create(table: "invitation") { table in
        table.primaryKey("id", .text)
        table.column("code", .text).notNull().unique()
        table.column("endsAt", .integer).notNull()
        table.column("record", .text).notNull()
      }
    }
    migrator.registerMigration("device reports") { database in
      try database.create(table: "deviceReport") { table in
        table.primaryKey("userID", .text)
        table.column("report", .text).notNull()
      }
    }
    return migrator
  }

  private static func makeAudit(_ database: Database) throws {
    try database.create(table: "audit") { table in
      // Never the number of an entry that has been forgotten.
      table.autoIncrementedPrimaryKey("number")
      table.column("at", .integer).notNull().indexed()
      table.column("isRoutine", .boolean).notNull()
      table.column("groups", .text).notNull()
      table.column("entry", .text).notNull()
    }
    try database.create(index: "auditByClass", on: "audit", columns: ["isRoutine", "number"])
  }

  private static func makeLogins(_ database: Database) throws {
    try database.create(table: "login") { table in
      table.primaryKey("id", .text)
      table.column("userID", .text).notNull().indexed()
      table.column("number", .integer).notNull()
      table.column("startedAt", .integer).notNull()
      table.column("renewedAt", .integer).notNull()
      table.column("expiresAt", .integer).notNull().indexed()
      table.column("address", .text).notNull()
      table.column("client", .text).notNull()
      table.column("repetitions", .integer).notNull()
    }
    try database.create(table: "endedLogin") { table in
      table.primaryKey("id", .text)
      table.column("endedAt", .integer).notNull().indexed()
    }
  }

  private static func makePushSubscriptions(_ database: Database) throws {
    try database.create(table: "pushSubscription") { table in
      table.primaryKey("id", .text)
      table.column("userID", .text).notNull().indexed()
      table.column("loginID", .text).notNull().indexed()
      table.column("credentialGeneration", .integer).notNull()
      table.column("endpoint", .text).notNull().unique()
      table.column("publicKey", .blob).notNull()
      table.column("authentication", .blob).notNull()
      table.column("language", .text)
      table.column("client", .text).notNull()
      table.column("createdAt", .integer).notNull()
    }
    try database.create(table: "pushKey") { table in
      table.column("privateKey", .blob).notNull()
    }
  }

  private static func makeCalls(_ database: Database) throws {
    try database.create(table: "call") { table in
      table.column("ownerID", .text).notNull()
      table.column("sessionID", .text).notNull()
      table.column("endedAt", .integer).notNull()
      table.column("isMissed", .boolean).notNull()
      table.column("record", .text).notNull()
      table.primaryKey(["ownerID", "sessionID"])
    }
    try database.create(index: "callByOwner", on: "call", columns: ["ownerID", "endedAt", "sessionID"])
    try database.create(index: "callByEnd", on: "call", columns: ["endedAt", "sessionID"])
    try database.create(table: "callsSeen") { table in
      table.primaryKey("userID", .text)
      table.column("until", .integer).notNull()
    }
  }

  /// Counts in the database itself, so that no writer can forget to.
  private static func makeAccountRevision(_ database: Database) throws {
    try database.create(table: "accountRevision") { table in
      table.column("revision", .integer).notNull()
    }
    try database.execute(sql: "INSERT INTO accountRevision VALUES (0)")
    for change in ["INSERT", "UPDATE", "DELETE"] {
      try database.execute(
        sql: """
          CREATE TRIGGER userRevisionAfter\(change) AFTER \(change) ON user
          BEGIN UPDATE accountRevision SET revision = revision + 1; END
          """)
    }
  }
}
