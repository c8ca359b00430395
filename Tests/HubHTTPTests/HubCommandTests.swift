import Foundation
import SystemSupport
import Testing

@Suite("The livesessions-hub program")
struct HubCommandTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hub-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test func theVersionIsPrinted() throws {
    #expect(try hubProgram("--version").output == "\(ProgramVersion.text)\n")
  }

  @Test func aConfigurationIsCheckedWithoutServing() throws {
    try withFolder { folder in
      let file = "\(folder)/hub.toml"
      try "anonymous_login = true\n".write(toFile: file, atomically: true, encoding: .utf8)
      let good = try hubProgram("config", "check", file)
      #expect(good.status == 0 && good.output == "\(file): good\n")
      #expect(try hubProgram("config", "check", "-c", file).output == good.output)
      #expect(try hubProgram("config", "check", file, "--config", file).status == 64)
      try "anonymus_login = true\nlisten = 1\n".write(toFile: file, atomically: true, encoding: .utf8)
      let bad = try hubProgram("config", "check", file)
      #expect(bad.status == 78)
      #expect(bad.errors.contains("\(file):1:1: unknown key") && bad.errors.contains("\(file):2:10: listen"))
    }
  }

  @Test func accountsAreBackedUpAndRestored() throws {
    try withFolder { folder in
      let (database, file) = ("\(folder)/hub.sqlite", "\(folder)/backup.sqlite")
      #expect(try hubProgram("enrol-device", "--title", "Front door", "--database", database).status == 0)
      #expect(try hubProgram("backup", file, "--database", database).status == 0)
      #expect(try hubProgram("backup", file, "--database", database).errors.contains("exists already"))
      #expect(try hubProgram("remove-user", "--title", "Front door", "--database", database).status == 0)
      let restored = try hubProgram("restore", file, "--database", database)
      #expect(restored.status == 0 && restored.errors.contains("1 accounts restored from \(file)"), "\(restored)")
      #expect(restored.errors.contains("\(database).before-"))
      #expect(try hubProgram("list-users", "--database", database).output.contains("Front door"))
    }
  }

  @Test func aDeviceThatIsEnrolledAlreadyLeavesNoFileForAKey() throws {
    try withFolder { folder in
      let place = ["--title", "Front door", "--key-file", "\(folder)/key", "--database", "\(folder)/hub.sqlite"]
      #expect(try hubProgram(["enrol-device"] + place).status == 0)
      try FileManager.default.removeItem(atPath: "\(folder)/key")
      let again = try hubProgram(["enrol-device"] + place)
      #expect(again.status == 1 && again.errors.contains("enrolled already; --replace"), "\(again)")
      #expect(!FileManager.default.fileExists(atPath: "\(folder)/key"))
      #expect(try hubProgram(["enrol-device", "--replace"] + place).status == 0)
    }
  }

  @Test func accountsInRedisAreRedissToBackUp() throws {
    try withFolder { folder in
      let file = "\(folder)/hub.toml"
      try "[redis]\naddress = \"/nowhere\"\naccounts = true\nnode = \"a\"\n"
        .write(toFile: file, atomically: true, encoding: .utf8)
      let refused = try hubProgram("backup", "\(folder)/backup.sqlite", "--config", file)
      #expect(refused.status == 78 && refused.errors.contains("accounts are in Redis"), "\(refused)")
    }
  }

  @Test func accountsAreListedForProgramsWithoutSecrets() throws {
    try withFolder { folder in
      let database = "\(folder)/hub.sqlite"
      #expect(try hubProgram("enrol-device", "--title", "Front door", "--database", database).status == 0)
      let list = try hubProgram("list-users", "--json", "--database", database)
      let users = try #require(try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [[String: Any]])
      #expect(users.count == 1)
      #expect(Set(users[0].keys) == ["id", "role", "groups", "title"])
      #expect(users[0]["title"] as? String == "Front door" && users[0]["role"] as? String == "device")
      let id = try #require(users[0]["id"] as? String)
      // Scripts get lines without a heading, and what is not known as a dash.
      let lines = try hubProgram("list-users", "--database", database).output
      #expect(lines == "\(id)\tdevice\tdefault\tFront door\t-\t-\n")
    }
  }

  @Test func accountsAreNamedByTitleOrID() throws {
    try withFolder { folder in
      let place = ["--database", "\(folder)/hub.sqlite"]
      for title in ["Front door", "Back door"] { _ = try hubProgram(["enrol-device", "--title", title] + place) }
      _ = try hubProgram(["add-user", "--title", "olga", "--generate"] + place)
      let listed = try hubProgram(["devices", "--json"] + place)
      let devices = try #require(
        try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]])
      #expect(devices.map { $0["title"] as? String } == ["Back door", "Front door"])
      let id = try #require(devices[0]["id"] as? String)
      #expect(try hubProgram(["set-groups", "--title", id, "--group", "a", "--group", "b"] + place).status == 0)
      let lines = try hubProgram(["devices", "--problems", "--offline", "--older-than", "9"] + place).output
      #expect(lines.hasPrefix("\(id)\tBack door\ta,b\toffline\t-\t-\t-\t-\tnever seen\n"), "\(lines)")
      let unknown = try hubProgram(["set-groups", "--title", "door", "--group", "a"] + place)
      #expect(unknown.status == 1 && unknown.errors.contains(#"did you mean "Back door", "Front door"?"#))
      #expect(try hubProgram(["set-role", "--title", "OLGA", "--role", "administrator"] + place).status == 0)
      #expect(try hubProgram(["set-role", "--title", "Front door", "--role", "operator"] + place).status == 1)
      #expect(try hubProgram(["list-users"] + place).output.contains("\tadministrator\tdefault\tolga\t"))
      #expect(try hubProgram(["set-groups", "--title", "olga", "--group", "no name"] + place).status == 1)
    }
  }
}
