import DTLSSRTP
import MediaCore
import NetworkLoop
import OpenSSLCrypto
import PeerSession
import Signalling
import Synchronization

/// One peer: a network loop with a socket and at most one session.
final class Viewer: Sendable {
  let number: Int
  private let loop: NetworkLoop
  private let feeder = Mutex<MediaFeeder?>(nil)
  private static let identity = try! DTLSIdentity()
  private static let session = SessionHandle("viewer")

  init(number: Int, address: TransportAddress) throws {
    self.number = number
    loop = try NetworkLoop(
      configuration: NetworkLoopConfiguration(addresses: [address], cname: "viewer"),
      makeCrypto: { (OpenSSLCrypto(), try DTLSEngine(identity: Self.identity), SRTPCrypto()) })
  }

  /// Makes an offer.
  func makeOffer() async throws -> String {
    try await loop.offer(session: Self.session, publish: [.audio, .video], subscribe: [.audio, .video]).sdp
  }

  /// Takes the answer to the last offer.
  func accept(answer: String) async throws {
    try await loop.accept(answer: answer, session: Self.session)
  }

  /// Answers an offer.
  func answer(_ offer: String) async throws -> String {
    try await loop.answer(
      session: Self.session, offer: offer, publish: [.audio, .video], subscribe: [.audio, .video]
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
    loop.hangUp(session: Self.session)
  }

  func statistics() async -> PeerSessionStatistics? { await loop.statistics()[Self.session] }
}
