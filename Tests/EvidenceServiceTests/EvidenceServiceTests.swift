import Archive
import ControlMessages
import ArchiveReading
import EvidenceService
import Foundation
import Logging
import MediaCore
import MediaPlaneAPI
import TestSupport
import OpenSSLCrypto
import SystemSupport
import RealtimeRuntime
import SessionToken
import Signalling
import TestServers
import Testing

/// A device with evidence, and what others do for it.
private struct EvidenceStage {
  let folder: TemporaryFolder
  let identity: EvidenceIdentity
  let store: ArchiveStore
  let server: StampingServer

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    identity = try EvidenceIdentity(stateDirectory: folder.path, credential: nil)
    store = ArchiveStore(root: folder.path + "/archives", evidence: identity.archiveEvidence)
    server = try StampingServer()
  }

  /// After a restart: all that was in memory is gone.
  init(after stage: EvidenceStage) throws {
    (folder, server) = (stage.folder, stage.server)
    identity = try EvidenceIdentity(stateDirectory: folder.path, credential: nil)
    store = ArchiveStore(root: folder.path + "/archives", evidence: identity.archiveEvidence)
  }

  func makeService(
    now: Int64 = 1_795_262_400_000,
    certify: @escaping EvidenceService.Certifying = { _, _ in
      DeviceCertificateResponse(certificate: "a.b.c", expiresAt: 1_795_262_400_000 + 86_400_000)
    }
  ) -> EvidenceService {
    EvidenceService(
      identity, store: store, authority: TimeStampClient(url: server.url, limit: .seconds(10)),
      logger: Logger(label: "evidence") { _ in SwiftLogNoOpLogHandler() }, now: { now }, certify: certify)
  }

  /// Records a little.
  func record(_ id: ArchiveID) async throws {
    let recorder = try ArchiveRecorder(
      id, in: store, details: ArchiveDetails(sessionID: "s"),
      configuration: ArchiveConfiguration(minimumFreeBytes: 0)
    ) { _ in }
    let inbox = try recorder.addStream(ArchiveStreamDescription(streamID: "device"), requestKeyFrame: {})
    let start = MonotonicClock.now()
    for (number, frame) in try SampleMedia.smallVideo().prefix(20).enumerated() {
      let header = EncodedFrameHeader(
        kind: .video, timestamp: start + .milliseconds(frame.milliseconds), duration: .milliseconds(100),
        isKeyFrame: frame.isKeyFrame, number: UInt32(number))
      inbox.push(header, payload: frame.payload.span.bytes)
    }
    _ = await recorder.stop()
  }

  func evaluate(_ id: ArchiveID) throws -> EvidenceVerdict {
    try EvidenceVerdict.folder(try store.path(id), EvidenceTrust(authorityFile: server.authority.rootFile))
  }
}

@Suite(.timeLimit(.minutes(2))) struct EvidenceServiceTests {
  private static let id = ArchiveID("0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11")

  @Test func anArchiveIsStampedAfterItsEnd() async throws {
    let stage = try EvidenceStage()
    defer { stage.server.stop() }
    try await stage.record(Self.id)
    #expect(await stage.makeService().attempt())
    let judgement = try stage.evaluate(Self.id)
    #expect(judgement.verdict == "whole")
    #expect(judgement.timeStamps.count == 1 && !judgement.lacksTimeStamp)
    // Nothing is asked twice.
    #expect(await stage.makeService().attempt())
    #expect(stage.server.requests == 1)
    #expect(try stage.store.evidenceNeeds(Self.id)?.lacksCertificate == false)
  }

  @Test(arguments: [StampingServer.Mood.failing, .wrong, .endless])
  func anAuthorityThatFailsIsAskedAgainAlsoAfterARestart(mood: StampingServer.Mood) async throws {
    let stage = try EvidenceStage()
    defer { stage.server.stop() }
    stage.server.setMood(mood)
    try await stage.record(Self.id)
    #expect(await stage.makeService().attempt() == false)
    #expect(try stage.evaluate(Self.id).lacksTimeStamp)
    #expect(try stage.evaluate(Self.id).verdict == "whole")
    stage.server.setMood(.honest)
    let restarted = try EvidenceStage(after: stage)
    #expect(await restarted.makeService().attempt())
    #expect(try !stage.evaluate(Self.id).lacksTimeStamp)
  }

  @Test func whatFailsIsAProblemUntilItIsOver() async throws {
    let stage = try EvidenceStage()
    defer { stage.server.stop() }
    stage.server.setMood(.failing)
    try await stage.record(Self.id)
    let service = stage.makeService()
    #expect(await service.problem == nil)
    #expect(await service.attempt() == false)
    let problem = try #require(await service.problem)
    #expect(problem.part == .evidence && problem.lasts && problem.text.contains("time-stamping authority"))
    stage.server.setMood(.honest)
    #expect(await service.attempt())
    #expect(await service.problem?.lasts == false)
  }

  @Test func theCertificateIsKeptAndRenewed() async throws {
    let stage = try EvidenceStage()
    defer { stage.server.stop() }
    struct Unreachable: Error {}
    #expect(await stage.makeService(certify: { _, _ in throw Unreachable() }).attempt() == false)
    #expect(await stage.makeService().attempt())
    let later: Int64 = 1_795_262_400_000 + 50_000_000
    // Still good, also for another run of the daemon.
    #expect(
      await (try EvidenceStage(after: stage)).makeService(now: later, certify: { _, _ in throw Unreachable() })
        .attempt())
    let due: Int64 = 1_795_262_400_000 + 60_000_000
    #expect(await stage.makeService(now: due, certify: { _, _ in throw Unreachable() }).attempt() == false)
  }

  @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\nMC4"]) func aDamagedKeyIsKeptAndMadeAgain(content: String) throws
  {
    let folder = try TemporaryFolder(isInMemory: true)
    let path = folder.path + "/evidence.key"
    try Data(content.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let loaded = try EvidenceKeyFile.load(credential: nil, orMakeAt: path)
    #expect(loaded.fault?.kind == .damaged(keptAs: path + ".damaged"))
    #expect(try EvidenceKeyFile.load(credential: nil, orMakeAt: path).value.publicKey == loaded.value.publicKey)
    #expect(try Data(contentsOf: URL(filePath: path + ".damaged")) == Data(content.utf8))
  }

  @Test func aKeyThatOthersCanReadIsRefused() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let path = folder.path + "/evidence.key"
    let first = try EvidenceKeyFile.load(credential: nil, orMakeAt: path).value
    #expect(
      try EvidenceKeyFile.load(credential: folder.path + "/none", orMakeAt: path).value.publicKey == first.publicKey)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(throws: EvidenceKeyError.self) { _ = try EvidenceKeyFile.load(credential: nil, orMakeAt: path) }
    let credential = folder.path + "/credential"
    try Data(try Ed25519Key().makePEM()).write(to: URL(fileURLWithPath: credential))
    #expect(try EvidenceKeyFile.load(credential: credential, orMakeAt: path).value.publicKey != first.publicKey)
    try Data("no key".utf8).write(to: URL(fileURLWithPath: credential))
    #expect(throws: EvidenceKeyError.self) { _ = try EvidenceKeyFile.load(credential: credential, orMakeAt: path) }
  }
}
