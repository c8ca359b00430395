import Archive
import ControlMessages
import DeviceConfiguration
import Foundation
import SystemSupport
import TestServers
import Logging
import MediaCore
import MediaPlaneAPI
import TestSupport
import OpenSSLCrypto
import Signalling
import Testing

@testable import ArchiveUpload

/// A device with archives, and a store.
struct UploadStage {
  let folder: TemporaryFolder
  let archives: ArchiveStore
  let server: ObjectServer
  let isInCall = Shared(false)
  let uploaded = Shared<[ArchiveID]>([])

  final class Shared<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    init(_ value: Value) { state = Mutex(value) }
    var value: Value {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
    func change(_ body: (inout Value) -> Void) { state.withLock { body(&$0) } }
  }

  init(evidence: ArchiveEvidence? = nil) throws {
    folder = try TemporaryFolder(isInMemory: true)
    archives = ArchiveStore(root: folder.path + "/archives", evidence: evidence)
    server = try ObjectServer()
  }

  /// Makes an archive that has ended; of `files` those that end in `.webm` stand in the manifest.
  func make(
    _ id: ArchiveID, createdAt: Int64 = 1_795_262_400_000, plans: [String]? = nil,
    files: [String: [UInt8]] = ["device.webm": Array("pictures".utf8)]
  ) throws {
    let path = "\(archives.root)/2026/11/21/\(id)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var manifest = ArchiveManifest(
      id: id, details: ArchiveDetails(sessionID: "s"), createdAt: createdAt, clockSynchronized: true,
      status: .available)
    manifest.plans = plans
    for (name, bytes) in files {
      try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
      guard name.hasSuffix(".webm") else { continue }
      manifest.files.append(
        try JSONDecoder().decode(
          ArchivedFile.self,
          from: Data(
            """
            {"streamId": "device", "connectionData": "", "filename": "\(name)", "size": \(bytes.count),
             "startTimeOffset": 0, "stopTimeOffset": 1}
            """.utf8)))
    }
    try manifest.json().write(to: URL(fileURLWithPath: "\(path)/archive.json"))
  }

  func service(
    _ extra: String = "", isBucket: Bool = true, credentials: String? = "KEY:SECRET",
    logger: Logger = Logger(label: "upload") { _ in SwiftLogNoOpLogHandler() }
  ) throws -> UploadService {
    let place =
      isBucket
      ? "endpoint = \"\(server.url)\"\nbucket = \"recordings\"\nprefix = \"door\"" : "url = \"\(server.url)/in\""
    let text = """
      [device]
      title = "x"
      [hub]
      url = "http://127.0.0.1:1"
      [upload]
      \(place)
      \(extra)
      """
    var surroundings = UploadService.Surroundings(
      hashing: OpenSSLCrypto(), logger: logger,
      now: { 1_795_262_400_000 }, random: { 0.5 }, readCredentials: { credentials })
    surroundings.isInCall = { [isInCall] in isInCall.value }
    surroundings.eventPlans = ["walks"]
    surroundings.uploaded = { [uploaded] id in uploaded.change { $0.append(id) } }
    let configuration = try DeviceConfiguration(text: text, file: "device.toml")
    return try #require(UploadService(configuration.upload, archives: archives, surroundings))
  }

  func isUploaded(_ id: ArchiveID) -> Bool { ArchiveUploads(archives).isUploaded(id) }

  func key(_ id: ArchiveID, _ name: String) -> String { "/recordings/door/2026/11/21/\(id)/\(name)" }

  /// Two whole parts and some, with no two stretches alike.
  static let large: [UInt8] = {
    var bytes = [UInt8](repeating: 7, count: 12_000_000)
    for place in stride(from: 0, to: bytes.count, by: 1_000) {
      bytes[place] = UInt8(truncatingIfNeeded: place >> 3)
      bytes[place + 1] = UInt8(truncatingIfNeeded: place >> 11)
      bytes[place + 2] = UInt8(truncatingIfNeeded: place >> 19)
    }
    return bytes
  }()
}

@Suite(.timeLimit(.minutes(2))) struct UploadServiceTests {
  private static let first = ArchiveID("0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11")
  private static let second = ArchiveID("1b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11")
  private static let third = ArchiveID("2b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11")

  @Test func anArchiveGoesWithItsManifestLast() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, files: ["device.webm": [1, 2], "track.gpx": [3], "locked": []])
    let service = try stage.service()
    #expect(await service.step() == .zero)
    #expect(
      stage.server.state.withLock { $0.order }
        == ["device.webm", "track.gpx", "archive.json"].map { stage.key(Self.first, $0) })
    #expect(stage.server.objects[stage.key(Self.first, "device.webm")] == [1, 2])
    #expect(stage.isUploaded(Self.first))
    #expect(stage.uploaded.value == [Self.first])
    // Nothing goes twice, also after a restart.
    let requests = stage.server.count("")
    #expect(await service.step() > .zero)
    #expect(try await stage.service().step() > .zero)
    #expect(stage.server.count("") == requests)
    #expect(service.uploadStatus.uploadedArchives == 1 && service.uploadStatus.waitingArchives == 0)
  }

  @Test func thoseWithEventsGoFirstThenTheOldest() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, createdAt: 1_000)
    try stage.make(Self.second, createdAt: 500)
    try stage.make(Self.third, createdAt: 2_000, plans: ["walks"])
    let service = try stage.service()
    for _ in 0..<3 { #expect(await service.step() == .zero) }
    #expect(stage.uploaded.value == [Self.third, Self.second, Self.first])
  }

  @Test func aLargeFileIsGoneOnWithAfterARestart() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, files: ["device.webm": UploadStage.large])
    stage.server.behave { $0.breaksAfter = 7_000_000 }
    let service = try stage.service()
    #expect(await service.step() > .zero)
    #expect(service.problem?.lasts == true && service.uploadStatus.failures == 1)
    #expect(!stage.isUploaded(Self.first))
    let restarted = try stage.service()
    #expect(await restarted.step() == .zero)
    #expect(stage.server.objects[stage.key(Self.first, "device.webm")] == UploadStage.large)
    #expect(stage.server.count("?uploads=") == 1)
    #expect(stage.server.count("partNumber=1&") == 1)
    #expect(stage.server.state.withLock { $0.parts.isEmpty })
  }

  @Test func partsThatTheStoreHasForgottenAreSentAnew() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, files: ["device.webm": UploadStage.large])
    stage.server.behave { $0.breaksAfter = 7_000_000 }
    #expect(try await stage.service().step() > .zero)
    stage.server.behave { $0.forgetsParts = true }
    #expect(try await stage.service().step() == .zero)
    #expect(stage.server.objects[stage.key(Self.first, "device.webm")] == UploadStage.large)
    #expect(stage.server.count("?uploads=") == 2)
  }

  @Test func whatHasChangedIsSentAgain() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    #expect(try await stage.service().step() == .zero)
    try stage.archives.rename(Self.first, to: "gate")
    #expect(try await stage.service().step() == .zero)
    #expect(stage.server.count("device.webm") == 1 && stage.server.count("archive.json") == 2)
    #expect(stage.isUploaded(Self.first))
  }

  @Test func oneThatWasDeletedIsForgotten() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, files: ["device.webm": UploadStage.large])
    stage.server.behave { $0.breaksAfter = 7_000_000 }
    let service = try stage.service()
    #expect(await service.step() > .zero)
    try stage.archives.delete(Self.first)
    #expect(await service.step() > .zero)
    #expect(service.uploadStatus.waitingArchives == 0)
  }

  @Test func oneThatIsRecordedWaits() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    let recorder = try ArchiveRecorder(
      Self.first, in: stage.archives, details: ArchiveDetails(sessionID: "s"),
      configuration: ArchiveConfiguration(minimumFreeBytes: 0)
    ) { _ in }
    #expect(try await stage.service().step() > .zero)
    #expect(stage.server.count("") == 0)
    _ = await recorder.stop()
  }

  @Test func nothingGoesDuringACall() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.isInCall.value = true
    let service = try stage.service()
    #expect(await service.step() == .seconds(1))
    #expect(service.uploadStatus.isPaused && stage.server.count("") == 0)
    stage.isInCall.value = false
    #expect(await service.step() == .zero)
    #expect(service.problem == nil)
  }

  @Test func aLimitDuringCallsLetsThemGoOn() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.isInCall.value = true
    #expect(try await stage.service("max_bitrate_in_calls = \"1Mbit/s\"").step() == .zero)
  }

  @Test func whatIsEncryptedIsReadByTheOwnerAloneAlsoAfterARestart() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, files: ["device.webm": UploadStage.large])
    let (key, certificate) = (stage.folder.path + "/key.pem", stage.folder.path + "/cert.pem")
    try ExternalProgram.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=owner", "-days", "1", "-keyout", key, "-out",
        certificate,
      ])
    let setting = "encrypt_for = \"\(certificate)\""
    stage.server.behave { $0.breaksAfter = 7_000_000 }
    #expect(try await stage.service(setting).step() > .zero)
    #expect(try await stage.service(setting).step() == .zero)
    #expect(stage.server.count("partNumber=1&") == 1)
    #expect(stage.server.objects.keys.allSatisfy { $0.hasSuffix(".cms") } && stage.server.objects.count == 2)
    let object = try #require(stage.server.objects[stage.key(Self.first, "device.webm.cms")])
    try Data(object).write(to: stage.folder.url("object"))
    try ExternalProgram.run(
      "openssl",
      [
        "cms", "-decrypt", "-binary", "-inform", "DER", "-in", stage.folder.url("object").path, "-inkey", key, "-recip",
        certificate, "-out", stage.folder.url("decrypted").path,
      ])
    #expect(try Data(contentsOf: stage.folder.url("decrypted")) == Data(UploadStage.large))
    let kept = try Data(contentsOf: URL(fileURLWithPath: "\(stage.archives.path(Self.first))/uploaded"))
    #expect(!String(decoding: kept, as: UTF8.self).contains("encryption\""))
  }

  // MARK: Failures

  @Test(arguments: [
    (403, "InvalidAccessKeyId", "the key's id"), (403, "SignatureDoesNotMatch", "secret key is wrong"),
    (404, "NoSuchBucket", "make the bucket"), (403, "RequestTimeTooSkewed", "timedatectl"),
    (400, "AuthorizationHeaderMalformed", "region"), (501, "NotImplemented", "checksums"),
    (400, "InvalidArgument", "checksums"), (403, "SecondLevelDomainForbidden", "path_style = false"),
    (400, "ExpiredToken", "keys that expire"),
  ])
  func settingsThatAreWrongAreTold(status: Int, code: String, words: String) async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.server.behave { $0.refusal = (status, code, "") }
    let service = try stage.service()
    #expect(await service.step() >= .seconds(60))
    let problem = try #require(service.problem)
    #expect(problem.part == .upload && problem.lasts && problem.text.contains(words), "\(problem.text)")
    stage.server.behave { $0.refusal = nil }
    #expect(await service.step() == .zero)
    #expect(service.problem?.lasts == false)
  }

  @Test func mistakesOfTheCertificateAreToldEachOnceAndHoldNothingBack() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    let certificate = stage.folder.path + "/cert.pem"
    let log = RecordedLog(.warning)
    let service = try stage.service("encrypt_for = \"\(certificate)\"", logger: log.logger)
    #expect(await service.step() >= .seconds(60))
    #expect(await service.step() >= .seconds(60))
    #expect(log.lines.count == 1 && log.lines[0].contains("No such file or directory; create it"))
    try Data("nothing".utf8).write(to: URL(filePath: certificate))
    #expect(await service.step() >= .seconds(60))
    #expect(await service.step() >= .seconds(60))
    #expect(log.lines.count == 2 && log.lines[1].contains("one valid certificate in PEM"))
    #expect(stage.server.count("") == 0)
    try ExternalProgram.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=owner", "-keyout", certificate + ".key", "-out",
        certificate,
      ])
    #expect(await service.step() == .zero)
    #expect(stage.isUploaded(Self.first))
  }

  @Test func aStoreThatIsBusyIsLeftAlone() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.server.behave { $0.refusal = (503, "SlowDown", "Retry-After: 17\r\n") }
    #expect(try await stage.service().step() >= .seconds(17))
    stage.server.behave { $0.refusal = (503, "SlowDown", "") }
    #expect(try await stage.service().step() >= .seconds(5))
  }

  @Test func otherBytesThanWereSentAreNoSuccess() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.server.behave { $0.damages = true }
    let service = try stage.service()
    _ = await service.step()
    #expect(service.problem?.text.contains("other bytes") == true)
    #expect(!stage.isUploaded(Self.first))
  }

  // MARK: Stores that differ

  /// How often each is refused before it is known what the store takes: never again after that.
  @Test(arguments: [
    (ObjectServer.Personality.usual, 0), (.refusesChecksums, 1), (.implementsNoChecksums, 1),
    (.refusesChecksumsOfParts, 1), (.ignoresChecksums, 0), (.wantsMD5, 1), (.wantsMD5Alone, 2),
  ])
  func everyStoreIsSentWhatItTakes(personality: ObjectServer.Personality, refusals: Int) async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    stage.server.behave { $0.personality = personality }
    try stage.make(Self.first, files: ["device.webm": UploadStage.large, "track.gpx": [3]])
    try stage.make(Self.second)
    let log = RecordedLog(.notice)
    let service = try stage.service(logger: log.logger)
    for _ in 0..<2 { #expect(await service.step() == .zero, "\(service.problem?.text ?? "")") }
    #expect(stage.server.objects[stage.key(Self.first, "device.webm")] == UploadStage.large)
    #expect(stage.server.objects[stage.key(Self.first, "track.gpx")] == [3])
    #expect(stage.isUploaded(Self.first) && stage.isUploaded(Self.second) && service.uploadStatus.failures == 0)
    #expect(stage.server.state.withLock { $0.refusals } == refusals)
    #expect(
      log.lines.count { $0.contains("checksums = ") } == (refusals == 0 ? 0 : personality == .wantsMD5Alone ? 2 : 1))
  }

  @Test(arguments: ["sha256", "md5", "none"]) func aChecksumThatIsSetIsTheOneThatIsSent(setting: String) async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.server.behave { $0.personality = .wantsMD5Alone }
    let service = try stage.service("checksums = \"\(setting)\"")
    let rest = await service.step()
    #expect((rest == .zero) == (setting == "md5"))
    guard setting != "md5" else { return }
    #expect(stage.server.state.withLock { $0.refusals } == 1)
    #expect(
      service.problem?.text.contains("set checksums = \"none\" or \"md5\"") == true, "\(service.problem?.text ?? "")")
  }

  @Test(arguments: [1, 0]) func aClockThatIsWrongIsTakenFromTheStoreOnce(clock: Int64) async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.server.behave { $0.clock = clock }
    let service = try stage.service()
    // The stage's clock shows the 21st, the store's the 26th; one that sends none is not asked twice.
    #expect(await (service.step() == .zero) == (clock == 1))
    #expect(stage.isUploaded(Self.first) == (clock == 1) && stage.server.state.withLock { $0.refusals } == 1)
    #expect(clock == 1 || service.problem?.text.contains("timedatectl") == true)
  }

  @Test func theRegionIsTakenFromTheStore() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.server.behave { $0.region = "eu-central-1" }
    #expect(try await stage.service().step() == .zero)
    #expect(stage.isUploaded(Self.first) && stage.server.state.withLock { $0.refusals } == 1)
  }

  @Test func noOtherHostGetsRecordings() async throws {
    let (stage, other) = (try UploadStage(), try ObjectServer())
    defer {
      stage.server.stop()
      other.stop()
    }
    try stage.make(Self.first)
    stage.server.behave { $0.location = "\(other.url)/recordings" }
    let service = try stage.service()
    #expect(await service.step() >= .seconds(60))
    #expect(other.count("") == 0)
    #expect(service.problem?.text.contains("the store sends to 127.0.0.1:\(other.port)") == true)
  }

  @Test func partsGrowWhereTheStoreWantsLargerOnes() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, files: ["device.webm": UploadStage.large])
    stage.server.behave { $0.smallestPart = 6_000_000 }
    let service = try stage.service()
    #expect(await service.step() == .zero)
    #expect(stage.server.objects[stage.key(Self.first, "device.webm")] == UploadStage.large)
  }

  @Test func aPortalThatAnswersEverythingIsNoStore() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    stage.server.behave { $0.isPortal = true }
    let service = try stage.service()
    #expect(await service.step() >= .seconds(60))
    #expect(!stage.isUploaded(Self.first) && service.problem?.text.contains("portal") == true)
  }

  @Test func aListOfPartsWithoutEndIsGivenUp() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, files: ["device.webm": UploadStage.large])
    stage.server.behave { $0.breaksAfter = 7_000_000 }
    #expect(try await stage.service().step() > .zero)
    stage.server.behave { $0.pagesHaveNoEnd = true }
    #expect(try await stage.service().step() == .zero)
    #expect(stage.server.count("uploadId") < 1_100)
    #expect(stage.server.objects[stage.key(Self.first, "device.webm")] == UploadStage.large)
  }

  @Test(arguments: [(413, "", "set segment"), (400, "EntityTooLarge", "set segment")])
  func whatIsTooLargeLetsOthersGo(status: Int, code: String, words: String) async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    for id in [Self.first, Self.second] { try stage.make(id) }
    stage.server.behave { $0.refusal = (status, code, "") }
    let service = try stage.service()
    #expect(await service.step() > .zero)
    #expect(service.problem?.text.contains(words) == true)
    stage.server.behave { $0.refusal = nil }
    #expect(await service.step() == .zero)
    #expect(stage.uploaded.value == [Self.second])
  }

  @Test(arguments: [nil, "nonsense"]) func withoutCredentialsNothingIsSent(credentials: String?) async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first)
    let service = try stage.service(credentials: credentials)
    #expect(await service.step() >= .seconds(60))
    #expect(service.problem?.text.contains("credentials") == true && stage.server.count("") == 0)
  }

  @Test func aFolderOnAWebServer() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.first, files: ["device.webm": UploadStage.large])
    #expect(try await stage.service(isBucket: false, credentials: "Bearer x").step() == .zero)
    #expect(stage.server.objects["/in/2026/11/21/\(Self.first)/device.webm"] == UploadStage.large)
    #expect(stage.server.state.withLock { $0.lastAuthorization } == "Bearer x")
    #expect(stage.isUploaded(Self.first))
  }

  @Test func theStoreIsProbed() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    let text =
      "[device]\ntitle = \"x\"\n[hub]\nurl = \"http://127.0.0.1:1\"\n[upload]\nendpoint = \"\(stage.server.url)\"\nbucket = \"recordings\""
    let settings = try DeviceConfiguration(text: text, file: "device.toml").upload
    let crypto = OpenSSLCrypto()
    #expect(await UploadProbe.problem(settings, credentials: "K:S", hashing: crypto) { 0 } == nil)
    #expect(stage.server.state.withLock { $0.parts.isEmpty && $0.objects.isEmpty })
    stage.server.behave { $0.refusal = (403, "AccessDenied", "") }
    let problem = await UploadProbe.problem(settings, credentials: "K:S", hashing: crypto) { 0 }
    #expect(problem?.text.contains("AccessDenied") == true && problem?.remedy?.contains("s3:PutObject") == true)
    #expect(await UploadProbe.problem(settings, credentials: nil, hashing: crypto) { 0 } != nil)
  }
}

@Suite(.timeLimit(.minutes(1))) struct FinishedArchivesTests {
  private static let id = ArchiveID("0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11")

  private func makeService(_ stage: UploadStage, destination: String? = nil) -> FinishedArchives {
    let command = ["/bin/sh", "-c", "echo \"$LIVESESSIONS_ARCHIVE_PATH $HOME\" >> \(stage.folder.path)/told"]
    return FinishedArchives(
      ProgramSettings(command: command, timeout: .seconds(5)), archives: stage.archives,
      listPath: stage.folder.path + "/list", destination: destination,
      logger: Logger(label: "program") { _ in SwiftLogNoOpLogHandler() })
  }

  private func told(_ stage: UploadStage) -> [String] {
    let text = try? String(contentsOfFile: stage.folder.path + "/told", encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  @Test func theProgramRunsOnceAlsoAfterARestart() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    let service = makeService(stage)
    service.archiveStarted(Self.id)
    await service.attempt()
    #expect(told(stage).isEmpty)
    try stage.make(Self.id)
    let restarted = makeService(stage)
    await restarted.attempt()
    await restarted.attempt()
    await makeService(stage).attempt()
    #expect(told(stage) == ["\(stage.archives.root)/2026/11/21/\(Self.id) "])
  }

  @Test func itWaitsForTheUpload() async throws {
    let stage = try UploadStage()
    defer { stage.server.stop() }
    try stage.make(Self.id)
    let program = makeService(stage, destination: "https://store.example/")
    program.archiveStarted(Self.id)
    await program.attempt()
    #expect(told(stage).isEmpty)
    #expect(try await stage.service().step() == .zero)
    await program.attempt()
    #expect(told(stage).count == 1)
  }
}
