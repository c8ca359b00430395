import Foundation
import GRDB
import HubCore
import HubStore
import HubConformance
import Signalling
import TestSupport
import Testing

@testable import HubStoreSQLite

struct SQLiteStoreTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func conforms() async throws {
    try await HubStoreConformance { try SQLiteStore(path: folder.file()) }.run()
  }

  @Test(.timeLimit(.minutes(1))) func eachListenerHearsOfChangesByAnotherProcess() async throws {
    let file = folder.file()
    let server = try SQLiteStore(path: file)
    #expect(server.notifiesOfAccountChanges)
    let listeners = [server.accountChanges(), server.accountChanges()]
    let revision = try await server.accountRevision()
    let command = try SQLiteStore(path: file)
    _ = try await Accounts(store: command).enrolDevice(
      title: "door", groups: [], replacing: false, id: "1", now: 0)
    for changes in listeners {
      var iterator = changes.makeAsyncIterator()
      #expect(await iterator.next() != nil)
    }
    try await eventually { try await server.accountRevision() != revision }
  }

  @Test(.timeLimit(.minutes(1))) func aLogThatIsMadeAnewIsWatched() async throws {
    let log = URL(fileURLWithPath: folder.file("hub.sqlite-wal"))
    let changes = try #require(FileChanges(path: folder.file("hub.sqlite")))
    var heard = changes.listen().makeAsyncIterator()
    try Data().write(to: log)
    #expect(await heard.next() != nil)
    // Until the log is watched, which the kernel does not tell of.
    try await Task.sleep(for: .milliseconds(200))
    let handle = try FileHandle(forWritingTo: log)
    try handle.write(contentsOf: Data([1]))
    #expect(await heard.next() != nil)
    #expect(FileChanges(path: "/nowhere/hub.sqlite") == nil)
  }

  @Test func twoProcessesMayUseOneFile() async throws {
    let file = folder.file()
    let server = try SQLiteStore(path: file)
    let command = try SQLiteStore(path: file)
    let accounts = Accounts(store: command)
    let (record, key) = try await accounts.enrolDevice(title: "Door", groups: [], replacing: false, id: "1", now: 0)
    #expect(try await server.user(title: "door") == record)
    let authenticator = Authenticator(store: server)
    #expect(try await authenticator.device(enrolmentKey: key.text) == record)
    let revision = try await server.accountRevision()
    let (_, next) = try await accounts.enrolDevice(title: "Door", groups: [], replacing: true, id: "2", now: 0)
    #expect(try await server.accountRevision() != revision)
    #expect(try await authenticator.device(enrolmentKey: key.text) == nil)
    let device = try #require(try await authenticator.device(enrolmentKey: next.text))
    #expect(device.id == "1" && device.credentialGeneration == AccessClaims.firstGeneration + 1)
  }

  @Test func aRenamedDeviceKeepsItsKey() async throws {
    let store = try SQLiteStore(path: folder.file())
    let accounts = Accounts(store: store)
    let (_, key) = try await accounts.enrolDevice(title: "Door", groups: [], replacing: false, id: "1", now: 0)
    _ = try await accounts.enrolDevice(title: "Gate", groups: [], replacing: false, id: "2", now: 0)
    #expect(try await accounts.rename("door", to: "Front door")?.title == "Front door")
    let device = try #require(try await Authenticator(store: store).device(enrolmentKey: key.text))
    #expect(device.title == "Front door" && device.id == "1")
    #expect(device.credentialGeneration == AccessClaims.firstGeneration)
    #expect(try await accounts.rename("Door", to: "Back door") == nil)
    await #expect(throws: HubStoreError.titleTaken) { try await accounts.rename("Front door", to: "GATE") }
    await #expect(throws: AccountError.badTitle(.empty)) { try await accounts.rename("Gate", to: " ") }
  }

  @Test func everythingIsThereAfterReopening() async throws {
    let file = folder.file()
    let store = try SQLiteStore(path: file)
    try await store.insert(SigningKeyRecord(keyID: "k", privateKey: [1, 2, 3], createdAt: 1))
    try store.close()
    #expect(try await SQLiteStore(path: file).signingKeys().map(\.keyID) == ["k"])
  }

  /// A file as the first release made it, with one device.
  @Test func anOlderFileIsBroughtUpToDate() async throws {
    let file = folder.file()
    let first = try DatabaseQueue(path: file)
    try Schema.migrator.migrate(first, upTo: "1 users and signing keys")
    let key = EnrolmentKey()
    try await first.write { database in
      try database.execute(
        sql: """
          INSERT INTO user (id, title, titleKey, role, kind, groups, credentialKind, credential, createdAt)
          VALUES ('1', 'Door', 'door', 'device', 'device', '["default"]', 'enrolmentKey', ?, 5)
          """, arguments: [key.hashed])
    }
    try first.close()
    let store = try SQLiteStore(path: file)
    let device = try #require(try await Authenticator(store: store).device(enrolmentKey: key.text))
    #expect(device.title == "Door" && device.credentialGeneration == AccessClaims.firstGeneration)
    _ = try await Accounts(store: store).enrolDevice(title: "door", groups: [], replacing: true, id: "2", now: 0)
    #expect(try await store.user(id: "1")?.credentialGeneration == AccessClaims.firstGeneration + 1)
  }

  @Test func onlyTheOwnerMayReadTheFiles() async throws {
    let store = try SQLiteStore(path: folder.file("hub.sqlite"))
    try await store.insert(SigningKeyRecord(keyID: "k", privateKey: [1], createdAt: 1))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count >= 2)
    for file in files {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.file(file))[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(file)")
    }
  }

  @Test func aFileThatIsNoDatabaseIsRefused() throws {
    let file = folder.file()
    try Data(repeating: 65, count: 8_192).write(to: URL(fileURLWithPath: file))
    #expect(throws: (any Error).self) { try SQLiteStore(path: file) }
    #expect(throws: (any Error).self) { try SQLiteStore(path: folder.path + "/missing/twice/hub.sqlite") }
  }

  @Test func aMissingFolderIsMadeForTheOwnerAlone() throws {
    let parent = folder.path + "/missing"
    _ = try SQLiteStore(path: parent + "/hub.sqlite")
    let mode = try FileManager.default.attributesOfItem(atPath: parent)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }
}

struct CredentialTests {
  private let cheap = PasswordHash.Cost(logRounds: 4, blockSize: 1, parallelism: 1)

  @Test func aPasswordMatchesItsHashAlone() throws {
    let hash = try PasswordHash(password: "correct horse", cost: cheap)
    #expect(try hash.matches("correct horse"))
    #expect(try !hash.matches("correct horsf"))
    #expect(try PasswordHash(password: "correct horse", cost: cheap) != hash)
  }

  @Test func theStoredFormReadsBack() throws {
    let hash = try PasswordHash(password: "p", cost: cheap)
    let read = try #require(PasswordHash(text: hash.text))
    #expect(read == hash)
    #expect(hash.text.hasPrefix("$scrypt$ln=4,r=1,p=1$"))
  }

  /// RFC 7914, section 12: "pleaseletmein", N = 16384, r = 8, p = 1 (its first 32 bytes).
  @Test func agreesWithTheRFCsVector() throws {
    let salt = Data("SodiumChloride".utf8).base64EncodedString()
    let expected = Data([
      0x70, 0x23, 0xbd, 0xcb, 0x3a, 0xfd, 0x73, 0x48, 0x46, 0x1c, 0x06, 0xcd, 0x81, 0xfd, 0x38, 0xeb, 0xfd, 0xa8, 0xfb,
      0xba, 0x90, 0x4f, 0x8e, 0x3e, 0xa9, 0xb5, 0x43, 0xf6, 0x54, 0x5d, 0xa1, 0xf2,
    ]).base64EncodedString()
    let hash = try #require(PasswordHash(text: "$scrypt$ln=14,r=8,p=1$\(salt)$\(expected)"))
    #expect(try hash.matches("pleaseletmein"))
  }

  @Test(arguments: [
    "", "$scrypt$", "$scrypt$ln=40,r=8,p=1$c2FsdA==$aGFzaA==", "$bcrypt$ln=4,r=1,p=1$AA==$AA==", "plain",
  ])
  func aBrokenStoredFormIsRefused(text: String) {
    #expect(PasswordHash(text: text) == nil)
  }

  @Test func anUnknownTitleIsHashedAllTheSame() async throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(path: folder.file())
    let accounts = Accounts(store: store)
    _ = try await accounts.add(NewPerson(title: "demo", password: "long enough"), cost: cheap, id: "1", now: 0)
    let (_, key) = try await accounts.enrolDevice(title: "Door", groups: [], replacing: false, id: "2", now: 0)
    let authenticator = Authenticator(store: store, cost: cheap)
    func login(_ title: String, _ password: String) async throws -> (id: String?, hashes: Int) {
      var hashes = 0
      let user = try await authenticator.user(title: title, password: password) { work in
        hashes += 1
        return try work()
      }
      return (user?.id, hashes)
    }
    #expect(try await login("Demo", "long enough") == ("1", 1))
    #expect(try await login("demo", "wrong") == (nil, 1))
    #expect(try await login("nobody", "long enough") == (nil, 1))
    #expect(try await login("Door", key.text) == (nil, 1))
    #expect(try await authenticator.device(enrolmentKey: "long enough") == nil)
    #expect(try await authenticator.device(enrolmentKey: "") == nil)
  }

  @Test func titlesAreNormalisedAndWhatLooksTheSameIsTaken() async throws {
    let folder = try TemporaryFolder()
    let accounts = Accounts(store: try SQLiteStore(path: folder.file()))
    let (door, _) = try await accounts.enrolDevice(
      title: " Front \u{A0}door ", groups: [], replacing: false, id: "1", now: 0)
    #expect(door.title == "Front door")
    for other in ["FRONT DOOR", "\u{FF26}ront door", "Front\u{2800}door"] {
      await #expect(throws: HubStoreError.titleTaken) {
        try await accounts.enrolDevice(title: other, groups: [], replacing: false, id: UUID().uuidString, now: 0)
      }
    }
  }

  @Test(arguments: [
    "", " ", "de\nmo", "de\u{200B}mo", "\u{202E}omed", "d\u{435}mo", String(repeating: "x", count: 129),
  ])
  func titlesThatCannotBeShownAreRefused(title: String) async throws {
    let folder = try TemporaryFolder()
    let accounts = Accounts(store: try SQLiteStore(path: folder.file()))
    await #expect(throws: AccountError.self) {
      try await accounts.enrolDevice(title: title, groups: [], replacing: false, id: "1", now: 0)
    }
    await #expect(throws: AccountError.badGroup("a b")) {
      try await accounts.enrolDevice(title: "ok", groups: ["a b"], replacing: false, id: "1", now: 0)
    }
  }
}
