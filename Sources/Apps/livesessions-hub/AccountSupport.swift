import ArgumentParser
import ConfigFile
import Foundation
import HubCore
import HubStore
import Signalling

/// The roles that a person can have.
enum PersonRole: String, ExpressibleByArgument, CaseIterable {
  case administrator
  case `operator`
  case user

  var role: AccountRole {
    switch self {
    case .administrator: .administrator
    case .operator: .operator
    case .user: .user
    }
  }
}

/// The account of a title or an id; a failure names those that may be meant.
func knownAccount(_ name: String, in store: any HubStore) async throws -> UserRecord {
  try await changingAccounts {
    let (titled, identified) = (try await store.user(title: name), try await store.user(id: name))
    if let titled, let identified, titled.id != identified.id {
      throw Failure(
        "\"\(name)\" is the title of \(titled.id) and the id of \"\(identified.title)\"; rename one of them")
    }
    if let user = titled ?? identified { return user }
    let titles = try await store.users().map(\.title)
    throw Failure("there is no user or device \"\(name)\"\(suggestion(of: titles, for: name))")
  }
}

/// Those whose title contains the name, else the nearest one.
private func suggestion(of titles: [String], for name: String) -> String {
  let key = UserRecord.titleKey(name)
  var meant = titles.filter { !key.isEmpty && UserRecord.titleKey($0).contains(key) }
  if meant.isEmpty { meant = closestMatch(to: name, among: titles).map { [$0] } ?? [] }
  guard !meant.isEmpty else { return "" }
  let names = meant.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
  return "; did you mean \(names)\(meant.count > 5 ? ", …" : "")?"
}

/// Names the causes that a person at the command line can do something about.
func changingAccounts<Value>(_ body: () async throws -> Value) async throws -> Value {
  do {
    return try await body()
  } catch let failure as Failure {
    throw failure
  } catch HubStoreError.titleTaken {
    throw Failure("the title is taken")
  } catch HubStoreError.diskFull {
    throw Failure("nothing was changed: the disk of the database is full or read-only")
  } catch HubStoreError.unavailable(let reason) {
    throw Failure("nothing is known to have changed; accounts: \(reason)")
  } catch let error as AccountError {
    throw Failure(error.description)
  } catch let error as InvitationError {
    throw Failure(error.description)
  } catch {
    throw Failure("database: \(error)")
  }
}

/// The first line of a file that no other user may read, or of standard input.
func readPassword(from file: String) throws -> String {
  if file == "-" {
    guard let line = readLine() else { throw Failure("no password on standard input") }
    return line
  }
  do {
    return try SecretFile.read(path: file)
  } catch {
    throw Failure(error.description)
  }
}

/// Where a password comes from.
struct NewPassword: ParsableArguments {
  @Option(help: "A file of mode 0600 with the password, or - for standard input.")
  var passwordFile: String?

  @Flag(help: "Make a password and print it.")
  var generate = false

  func validate() throws {
    guard (passwordFile != nil) != generate else { throw ValidationError("give --password-file or --generate") }
  }

  func read() throws -> String {
    try passwordFile.map(readPassword) ?? String(makeRandomToken().prefix(20))
  }
}

func makeUserID() -> String { UUID().uuidString.lowercased() }

/// Milliseconds since 1970.
func currentTime() -> Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
