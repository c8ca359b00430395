import DTLSEngine
import MediaCore
import NetworkLoop
import OpenSSLCrypto
import PeerSession
import SDP
import SRTPCrypto
import Synchronization
import TransportCrypto

/// One peer: a network loop with a socket and at most one session.
final class Viewer: Sendable {
  let number: Int
  private let loop: NetworkLoop
  private let numbers: RepeatableNumbers
  private let fingerprint: String
  private let feeder = Mutex<MediaFeeder?>(nil)
  private static let identity = try! DTLSIdentity()
  private static let sessionID = "viewer"

  init(number: Int, address: TransportAddress) throws {
    let engine = try DTLSEngine(identity: Self.identity)
    let numbers = RepeatableNumbers()
    self.number = number
    self.numbers = numbers
    fingerprint = engine.fingerprint.sdp
    loop = try NetworkLoop(
      configuration: NetworkLoopConfiguration(addresses: [address], cname: "viewer"),
      makeCrypto: { (numbers, engine, SRTPCrypto()) })
  }

  // MARK: Calling

  /// Makes an offer.
  ///
  /// A session can only answer. So one is made for an offer of nobody, to learn the name and password that it draws;
  /// ``accept(answer:)`` draws the same again for the session that stays. Both sides then think themselves controlled,
  /// which ICE resolves (RFC 8445 §7.3.1.1).
  func makeOffer() async throws -> String {
    numbers.begin()
    let draft = try await answer(OfferText.nobody(fingerprint).text)
    loop.hangUp(sessionID: Self.sessionID)
    return OfferText(answeredBy: draft, fingerprint).text
  }

  /// Connects to whoever answered the last offer.
  func accept(answer: String) async throws {
    numbers.repeat()
    _ = try await self.answer(answer)
  }

  /// Answers an offer.
  func answer(_ offer: String) async throws -> String {
    try await loop.answer(
      sessionID: Self.sessionID, offer: offer, publish: [.audio, .video], subscribe: [.audio, .video])
  }

  /// Sends pictures and sound from now on.
  func talk() throws {
    let new = try MediaFeeder(loop.localFrames)
    feeder.withLock { $0 = new }
  }

  func hangUp() {
    feeder.withLock { feeder in
      feeder?.stop()
      feeder = nil
    }
    loop.hangUp(sessionID: Self.sessionID)
  }

  func statistics() async -> PeerSessionStatistics? { await loop.statistics()[Self.sessionID] }
}

/// Numbers that can be drawn a second time; for benchmarks alone.
final class RepeatableNumbers: CryptoPrimitives, Sendable {
  private let real = OpenSSLCrypto()
  private let state = Mutex<(start: UInt64, current: UInt64)>((0, 0))

  /// Starts a new row of numbers.
  func begin() {
    let start = real.randomUInt64()
    state.withLock { $0 = (start, start) }
  }

  /// Draws the last row again.
  func `repeat`() { state.withLock { $0.current = $0.start } }

  /// SplitMix64.
  func randomUInt64() -> UInt64 {
    state.withLock { state in
      state.current &+= 0x9E37_79B9_7F4A_7C15
      var z = state.current
      z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
      return z ^ z >> 31
    }
  }

  func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan) {
    real.hmacSHA1(key: key, message: message, into: &digest)
  }
}
