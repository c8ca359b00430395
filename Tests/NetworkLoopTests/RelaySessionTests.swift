import DTLSSRTP
import ICE
import MediaCore
import OpenSSLCrypto
import PeerSession
import Signalling
import Testing
import TransportCrypto

@testable import NetworkLoop

@Suite(.timeLimit(.minutes(1))) struct RelaySessionTests {
  private func makeLoop(_ policy: ICETransportPolicy = .all) throws -> NetworkLoop {
    let configuration = NetworkLoopConfiguration(
      addresses: [TransportAddress(ipv4: 0x7F00_0001, port: 0)], cname: "device", transportPolicy: policy)
    return try NetworkLoop(configuration: configuration) {
      (OpenSSLCrypto(), try DTLSEngine(identity: DTLSIdentity()), SRTPCrypto())
    }
  }

  private func answer(
    _ loop: NetworkLoop, trickles: Bool = false, _ urls: String..., id: SessionHandle = "s"
  ) async throws -> String {
    try await loop.answer(
      session: id, offer: soundOffer(trickles: trickles), publish: [.audio], subscribe: [.audio],
      servers: urls.isEmpty ? [] : [ICEServer(urls: urls, username: "olga", credential: "secret")]
    ).sdp
  }

  private func firstNotice(_ loop: NetworkLoop) async -> NetworkNotice? {
    for await notice in loop.notices { return notice }
    return nil
  }

  @Test(arguments: ["udp", "tcp"])
  func aServerThatIsNotThereIsToldOnceAndTheAnswerIsComplete(transport: String) async throws {
    let port = try LoopbackServer(isStream: transport == "tcp").port
    let loop = try makeLoop()
    defer { loop.stop() }
    let url = "turn:127.0.0.1:\(port)?transport=\(transport)"
    let sdp = try await answer(loop, url)
    #expect(sdp.contains("a=candidate:") && sdp.contains("a=end-of-candidates"))
    let notice = await firstNotice(loop)
    #expect(notice?.description.contains("\(try ICEServerURL(url)): ") == true)
    #expect(notice?.description.hasSuffix(": Connection refused") == true)
    #expect(notice?.description.contains("secret") == false)
  }

  @Test func aServerThatComesUpLaterIsFoundWithinTheCall() async throws {
    let port = try LoopbackServer(isStream: false).port
    let loop = try makeLoop()
    defer { loop.stop() }
    _ = try await answer(loop, trickles: true, "turn:127.0.0.1:\(port)")
    #expect(await firstNotice(loop)?.description.hasSuffix(": Connection refused") == true)
    let server = try LoopbackServer(isStream: false, port: port)
    #expect(server.nextSender() != 0)
  }

  @Test func anAnswerToAPeerThatDoesNotTrickleWaitsTwoSecondsForSilentServers() async throws {
    let server = try LoopbackServer(isStream: false)
    let loop = try makeLoop()
    defer { loop.stop() }
    let clock = ContinuousClock()
    let begin = clock.now
    let late = try await answer(loop, "turn:127.0.0.1:\(server.port)")
    #expect(clock.now - begin >= .milliseconds(1_950))
    #expect(late.contains("a=candidate:"))
    let before = clock.now
    let early = try await answer(loop, trickles: true, "turn:127.0.0.1:\(server.port)", id: "t")
    #expect(clock.now - before < .milliseconds(1_500))
    #expect(!early.contains("a=end-of-candidates"))
  }

  @Test func aCallThatEndsWhileItsAnswerWaitsIsToldSo() async throws {
    let server = try LoopbackServer(isStream: false)
    let loop = try makeLoop()
    defer { loop.stop() }
    let waiting = Task { try await answer(loop, "turn:127.0.0.1:\(server.port)", "turn:no-such-name.invalid") }
    while await loop.statistics().isEmpty {}
    loop.hangUp(session: "s")
    await #expect(throws: NetworkLoopError.self) { try await waiting.value }
    #expect(await loop.statistics().isEmpty)
  }

  @Test func relayOnlyCallsNeedARelayAndShowNoAddress() async throws {
    let server = try LoopbackServer(isStream: false)
    let loop = try makeLoop(.relay)
    defer { loop.stop() }
    await #expect(throws: NetworkLoopError.self) { try await answer(loop, trickles: true) }
    await #expect(throws: NetworkLoopError.self) { try await answer(loop, trickles: true, "stun:127.0.0.1") }
    let sdp = try await answer(loop, trickles: true, "turn:127.0.0.1:\(server.port)")
    #expect(!sdp.contains("a=candidate:"))
  }

  @Test func eachCallHasASocketOfItsOwnToTheServer() async throws {
    let server = try LoopbackServer(isStream: false)
    let loop = try makeLoop()
    defer { loop.stop() }
    _ = try await answer(loop, trickles: true, "turn:127.0.0.1:\(server.port)", id: "1")
    _ = try await answer(loop, trickles: true, "turn:127.0.0.1:\(server.port)", id: "2")
    // A busy machine may see the first call ask again before the second one asks.
    var senders: Set<UInt16> = []
    for _ in 0..<8 where senders.count < 2 { senders.insert(server.nextSender()) }
    #expect(senders.count == 2)
    #expect(senders.isDisjoint(with: [0, loop.boundAddresses[0].port]))
  }
}
