import Archive
import ArchiveReading
import Foundation
import MediaCore
import TestSupport
import OpenSSLCrypto
import RealtimeRuntime
import SessionToken
import Signalling
import TestServers
import Testing

/// A hub's key, and its words about devices' keys.
private struct SampleHub {
  let key: Ed25519Key

  init() throws { key = try Ed25519Key() }

  var keySet: SigningKeySet {
    get throws {
      let x = Base64URL.encode(key.publicKey)
      return try SigningKeySet(json: Array(#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"h1","x":"\#(x)"}]}"#.utf8))
    }
  }

  func certificate(
    of device: Ed25519Key, userID: String = "gate", validity: ClosedRange<Int64> = 0...4_000_000_000,
    audience: String = DeviceCertificate.audience
  ) throws -> String {
    let x = Base64URL.encode(device.publicKey)
    let claims =
      #"{"sub":"\#(userID)","title":"Front gate","aud":"\#(audience)","iat":\#(validity.lowerBound),"#
      + #""exp":\#(validity.upperBound),"jti":"1","cnf":{"jwk":{"kty":"OKP","crv":"Ed25519","x":"\#(x)"}}}"#
    let signed = [#"{"alg":"EdDSA","kid":"h1","typ":"JWT"}"#, claims].map { Base64URL.encode(Array($0.utf8)) }
      .joined(separator: ".")
    let message = Array(signed.utf8)
    return signed + "." + Base64URL.encode(try key.signature(of: message.span.bytes))
  }
}

@Suite(.timeLimit(.minutes(2))) struct EvidenceInspectionTests {
  private static let id = ArchiveID("0b0c5c4e-9a53-4c8e-8a3e-4f6f1f0a7d11")

  /// Records a few seconds; returns the archive's folder, which lives as long as the first result.
  private func record(
    _ device: Ed25519Key, certificate: String?, in folder: TemporaryFolder
  ) async throws -> (store: ArchiveStore, path: String) {
    let crypto = OpenSSLCrypto()
    let evidence = ArchiveEvidence(
      hashing: crypto, signer: device, verifier: crypto, certificate: { certificate })
    let store = ArchiveStore(root: folder.path + "/archives", evidence: evidence)
    let recorder = try ArchiveRecorder(
      Self.id, in: store, details: ArchiveDetails(sessionID: "s"),
      configuration: ArchiveConfiguration(minimumFreeBytes: 0)
    ) { _ in }
    let inbox = try recorder.addStream(ArchiveStreamDescription(streamID: "device"), requestKeyFrame: {})
    let start = MonotonicClock.now()
    for (number, frame) in try SampleMedia.smallVideo().enumerated() {
      let header = EncodedFrameHeader(
        kind: .video, timestamp: start + .milliseconds(frame.milliseconds), duration: .milliseconds(100),
        isKeyFrame: frame.isKeyFrame, number: UInt32(number))
      inbox.push(header, payload: frame.payload.span.bytes)
    }
    _ = await recorder.stop()
    return (store, try store.path(Self.id))
  }

  @Test func aCertifiedDeviceIsNamed() async throws {
    let (hub, device, folder) = (try SampleHub(), try Ed25519Key(), try TemporaryFolder(isInMemory: true))
    let path = try await record(device, certificate: try hub.certificate(of: device), in: folder).path
    let judgement = try EvidenceVerdict.folder(path, EvidenceTrust(hubKeys: try hub.keySet, device: "gate"))
    #expect(judgement.verdict == "whole")
    #expect(judgement.deviceID == "gate")
    #expect(judgement.deviceTitle == "Front gate")
    #expect(judgement.problems.isEmpty)
    let other = try EvidenceVerdict.folder(path, EvidenceTrust(hubKeys: try hub.keySet, device: "door"))
    #expect(other.verdict == "foreign")
    let anotherHub = try EvidenceVerdict.folder(path, EvidenceTrust(hubKeys: try SampleHub().keySet))
    #expect(anotherHub.verdict == "foreign")
    #expect(try EvidenceVerdict.folder(path, EvidenceTrust()).verdict == "whole")
  }

  @Test func otherCertificatesAreRefused() async throws {
    let (hub, device, folder) = (try SampleHub(), try Ed25519Key(), try TemporaryFolder(isInMemory: true))
    let certificates = [
      nil, try hub.certificate(of: try Ed25519Key()), try hub.certificate(of: device, validity: 0...1_000),
      try hub.certificate(of: device, audience: "livesessions-session"), "a.b.c",
    ]
    for (index, certificate) in certificates.enumerated() {
      let path = try await record(device, certificate: certificate, in: folder).path
      let judgement = try EvidenceVerdict.folder(path, EvidenceTrust(hubKeys: try hub.keySet))
      // Whether a certificate had run out is known only with a clock that is set.
      #expect(
        judgement.verdict == "foreign" || index == 2 && judgement.isClockSynchronized == false, "certificate \(index)")
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test func timeStampsHoldByTheirAuthority() async throws {
    let (hub, device, folder) = (try SampleHub(), try Ed25519Key(), try TemporaryFolder(isInMemory: true))
    let (store, path) = try await record(device, certificate: try hub.certificate(of: device), in: folder)
    let authority = try StampingAuthority()
    let trust = EvidenceTrust(hubKeys: try hub.keySet, authorityFile: authority.rootFile)
    #expect(try EvidenceVerdict.folder(path, trust).lacksTimeStamp)
    let needs = try #require(try store.evidenceNeeds(Self.id))
    #expect(!needs.lacksCertificate)
    let answer = try authority.answer(about: try #require(needs.unstamped))
    try store.attachEvidence(Self.id, timeStamp: answer, to: needs)
    let judgement = try EvidenceVerdict.folder(path, trust)
    #expect(judgement.verdict == "whole")
    #expect(judgement.timeStamps.count == 1)
    #expect(abs((judgement.timeStamps[0].time ?? 0) / 1_000 - Int64(Date().timeIntervalSince1970)) < 60)
    #expect(try store.evidenceNeeds(Self.id)?.unstamped == nil)
    let other = try StampingAuthority()
    let stranger = EvidenceTrust(authorityFile: other.rootFile)
    #expect(try EvidenceVerdict.folder(path, stranger).lacksTimeStamp)
    withExtendedLifetime((authority, other)) {}
  }
}
