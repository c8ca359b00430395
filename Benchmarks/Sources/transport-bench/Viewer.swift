import DTLSEngine
import MediaCore
import NetworkLoop
import OpenSSLCrypto
import PeerSession
import SRTPCrypto
import Synchronization

/// One peer: a network loop with a socket and at most one session.
final class Viewer: Sendable {
  let number: Int
  private let loop: NetworkLoop
  private let feeder = Mutex<MediaFeeder?>(nil)
  private static let identity = try! DTLSIdentity()
  private static let sessionID = "viewer"

  init(number: Int, address: TransportAddress) throws {
    self.number = number
    loop = try NetworkLoop(
      configuration: NetworkLoopConfiguration(addresses: [address], cname: "viewer"),
      makeCrypto: { (OpenSSLCrypto(), try DTLSEngine(identity: Self.identity), SRTPCrypto()) })
  }

  /// Makes an offer.
  func makeOffer() async throws -> String {
    try await loop.offer(sessionID: Self.sessionID, publish: [.audio, .video], subscribe: [.audio, .video]).sdp
  }

  /// Takes the answer to the last offer.
  func accept(answer: String) async throws {
    try await loop.accept(answer: answer, sessionID: Self.sessionID)
  }

  /// Answers an offer.
  func answer(_ offer: String) async throws -> String {
    try await loop.answer(
      sessionID: Self.sessionID, offer: offer, publish: [.audio, .video], subscribe: [.audio, .video]
    ).sdp
  }

  /// Sends pictures and sound from now on.
  func talk() throws {
    let new = try MediaFeeder(loop.localFrames)
    feeder.withLock { $0 = new }
  }

  /// Frames that it has sent.
  var count: Int { feeder.withLock { $0?.count ?? 0 } }

  func hangUp() {
    feeder.withLock { feeder in
      feeder?.stop()
      feeder = nil
    }
    loop.hangUp(sessionID: Self.sessionID)
  }

  func statistics() async -> PeerSessionStatistics? { await loop.statistics()[Self.sessionID] }
}
