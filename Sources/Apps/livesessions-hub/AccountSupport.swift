import ArgumentParser
import ConfigFile
import Foundation
import HubCore
import HubStore

/// The roles that a person can have.
enum PersonRole: String, ExpressibleByArgument, CaseIterable {
  case `operator`
  case user

  var role: UserRole { self == .operator ? .operator : .user }
}

/// Names the causes that a person at the command line can do something about.
func changingAccounts<Value>(_ body: () async throws -> Value) async throws -> Value {
  do {
    return try await body()
  } catch HubStoreError.titleTaken {
    throw Failure("the title is taken")
  } catch HubStoreError.diskFull {
    throw Failure("nothing was changed: the disk of the database is full or read-only")
  } catch HubStoreError.unavailable(let reason) {
    throw Failure("nothing is known to have changed; accounts: \(reason)")
  } catch let error as AccountError {
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
