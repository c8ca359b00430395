// sources: Sources/Testing/TestSupport/PlainTransport/CopyingProtection.swift
import ICE
import MediaCore
import PeerSession
import SDP
import TransportCrypto

// The first octet chooses what the others are: an offer, a first answer, an offer and answer within a connected session, or
// datagrams for one, each with a head of two octets (where it comes from and how much time passes; its length in units of
// eight octets).

@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  let text = String(decoding: input, as: UTF8.self)
  switch (data[0] & 1, data[0] & 6) {
  case (0, 2): fuzzFirstAnswer(text)
  case (0, 4):
    var call = FuzzedCall(receivesOnly: false)
    call.renegotiate(text)
  case (0, _): fuzzOffer(text)
  default:
    var call = FuzzedCall(receivesOnly: data[0] & 2 != 0)
    call.play(input)
  }
  return 0
}

/// Whatever the answer, the session that has offered can be fed and closed.
private func fuzzFirstAnswer(_ text: String) {
  let now = MonotonicInstant(nanoseconds: 1_000_000_000)
  let session = PeerSession(
    offering: makeConfiguration(publish: [.audio, .video]), dependencies: makeDependencies(), now: now)
  let offer = session.localDescription
  if (try? session.accept(answer: text, now: now)) == nil { precondition(session.localDescription == offer) }
  exhaust(session)
}

/// Whatever the offer, its session can be fed and closed.
private func fuzzOffer(_ text: String) {
  guard let session = makeSession(text, publish: [.audio, .video]) else { return }
  precondition(!session.localDescription.isEmpty)
  exhaust(session)
}

/// Lets time pass until nothing more is due, then closes.
private func exhaust(_ session: PeerSession) {
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  for _ in 0..<50 where session.deadline < .distantFuture {
    now = max(now, session.deadline)
    session.handleTimeout(now: now)
    precondition(session.deadline > now)
  }
  session.close(now: now)
  precondition(session.deadline == .distantFuture)
}

private func makeSession(_ offer: String, publish: Set<MediaKind>) -> PeerSession? {
  try? PeerSession(
    offer: offer, configuration: makeConfiguration(publish: publish), dependencies: makeDependencies(),
    now: MonotonicInstant(nanoseconds: 1_000_000_000))
}

private func makeConfiguration(publish: Set<MediaKind>) -> PeerSessionConfiguration {
  PeerSessionConfiguration(
    localAddresses: [localAddress], publish: publish, subscribe: [.audio, .video], cname: "fuzz")
}

private func makeDependencies() -> PeerSessionDependencies {
  PeerSessionDependencies(
    crypto: FakeCrypto(), dtls: FakeDTLS(), protection: CopyingProtection(), network: outbox, frames: Frames())
}

private let localAddress = TransportAddress(ipv4: 0x7F00_0001, port: 1)
private let peerAddress = TransportAddress(ipv4: 0x7F00_0001, port: 2)
nonisolated(unsafe) private let outbox = Outbox()

/// A session with a path, its handshake done, and packets in the clear.
private struct FuzzedCall: ~Copyable {
  let session: PeerSession
  private var payloads = FramePayloadPool()
  let offer: String
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)

  init(receivesOnly: Bool) {
    var peer = ICEAgent(role: .controlling, credentials: .make(crypto: FakeCrypto()), crypto: FakeCrypto())
    offer = Self.offer(peer.localCredentials)
    guard let session = makeSession(offer, publish: receivesOnly ? [] : [.audio, .video])
    else { fatalError("the offer is refused") }
    self.session = session
    connect(&peer)
    precondition(session.statistics.isConnected)
  }

  private static func offer(_ credentials: ICECredentials) -> String {
    let transport = """
      a=ice-ufrag:\(credentials.usernameFragment)\r\na=ice-pwd:\(credentials.password)\r\na=setup:actpass\r
      a=fingerprint:sha-256 \(Array(repeating: "AB", count: 32).joined(separator: ":"))\r\na=rtcp-mux\r\n
      """
    return """
      v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE a v\r
      m=audio 9 UDP/TLS/RTP/SAVPF 111\r\na=mid:a\r\na=rtpmap:111 opus/48000/2\r\n\(transport)\
      m=video 9 UDP/TLS/RTP/SAVPF 96 97\r\na=mid:v\r\na=rtpmap:96 VP8/90000\r\na=rtcp-fb:96 goog-remb\r
      a=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\n\(transport)
      """
  }

  /// Lets ICE run between the session and a peer of which nothing is left afterwards.
  private mutating func connect(_ peer: inout ICEAgent) {
    peer.addLocalCandidate(.host(peerAddress), now: now)
    guard let answer = try? SessionDescriptionParser.parse(session.localDescription),
      let transport = answer.media.first?.transport
    else { return }
    peer.setRemoteCredentials(
      ICECredentials(usernameFragment: transport.iceUsernameFragment!, password: transport.icePassword!), now: now)
    peer.addRemoteCandidate(.host(localAddress), now: now)
    for _ in 0..<20 where !session.statistics.isConnected {
      now = now + .milliseconds(50)
      peer.handleTimeout(now: now)
      var storage = [UInt8](repeating: 0, count: 1_500)
      while let count = storage.withUnsafeMutableBytes({ bytes in
        var span = bytes.mutableBytes
        return peer.takeTransmit(into: &span)?.count
      }) {
        receive(Array(storage.prefix(count)), from: peerAddress)
      }
      for datagram in outbox.take() {
        peer.handleDatagram(datagram.span.bytes, from: localAddress, to: peerAddress, now: now)
      }
    }
  }

  private func receive(_ bytes: [UInt8], from source: TransportAddress) {
    var bytes = bytes
    var span = bytes.mutableSpan
    var datagram = span.mutableBytes
    _ = PeerSession.source(of: datagram.bytes)
    session.receive(&datagram, from: source, to: localAddress, now: now)
    precondition(session.sourceCount <= 32)
  }

  mutating func play(_ input: [UInt8]) {
    var position = 0
    var frameNumber: UInt32 = 0
    while position + 2 <= input.count {
      let head = input[position]
      let count = min(Int(input[position + 1]) * 8, input.count - position - 2)
      let datagram = Array(input[position + 2..<position + 2 + count])
      position += 2 + count
      now = now + .milliseconds(1 << Int64(head >> 4))
      if head & 8 != 0 { send(datagram, number: &frameNumber) } else { receive(datagram, from: source(head)) }
      if session.deadline <= now { session.handleTimeout(now: now) }
      // All that is due has been done, but for NACKs that did not fit their packet.
      for _ in 0..<8 where session.deadline <= now { session.handleTimeout(now: now) }
      precondition(session.deadline > now)
      for count in 0... {
        guard session.takeEvent() != nil else { break }
        precondition(count < 4)
      }
      _ = outbox.take()
    }
    session.requestKeyFrame(now: now)
    session.addRemoteCandidate(String(decoding: input.prefix(100), as: UTF8.self), now: now)
    session.close(now: now)
    _ = outbox.take()
  }

  /// Plays the text as an offer and as an answer; what is refused changes nothing, and frames go on meanwhile.
  mutating func renegotiate(_ text: String) {
    let before = session.localDescription
    if (try? session.renegotiate(offer: text, now: now)) == nil { precondition(session.localDescription == before) }
    var number: UInt32 = 0
    for head in UInt8(0)..<4 { send([UInt8](repeating: head, count: 3_000), number: &number) }
    let restart = session.restartICE(now: now)
    precondition(restart != nil)
    if (try? session.accept(answer: text, now: now)) == nil { precondition(session.localDescription == restart) }
    _ = try? session.renegotiate(offer: offer, now: now)
    session.changeLocalAddresses([localAddress, peerAddress], now: now)
    for head in UInt8(0)..<4 { send([UInt8](repeating: head, count: 3_000), number: &number) }
    session.close(now: now)
    precondition(session.deadline == .distantFuture)
    _ = outbox.take()
  }

  private func source(_ head: UInt8) -> TransportAddress {
    head & 7 == 7 ? TransportAddress(ipv4: 0x7F00_0002, port: 3) : peerAddress
  }

  private mutating func send(_ frame: [UInt8], number: inout UInt32) {
    let kind: MediaKind = (frame.first ?? 0) & 2 == 0 ? .audio : .video
    number &+= UInt32((frame.first ?? 0) >> 6)
    let header = EncodedFrameHeader(
      kind: kind, timestamp: now, duration: .zero, isKeyFrame: (frame.first ?? 0) & 1 == 0, number: number)
    switch kind {
    case .audio: session.send(audio: header, payload: frame.span.bytes, now: now)
    case .video: session.send(video: header, payload: payloads.copy(frame.span.bytes), now: now)
    }
    number &+= 1
  }
}

// MARK: - Fakes

private final class FakeCrypto: CryptoPrimitives {
  private var state: UInt64 = 1

  func hmacSHA1(key: RawSpan, message: RawSpan, into digest: inout MutableRawSpan) {
    for index in 0..<20 { digest.storeBytes(of: UInt8(message.byteCount & 0xFF), toByteOffset: index, as: UInt8.self) }
  }

  func md5(_ message: RawSpan, into digest: inout MutableRawSpan) {}

  func randomUInt64() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}

private final class FakeDTLS: DTLSAssociationMaking {
  let fingerprint = CertificateFingerprint(algorithm: "sha-256", digest: Array(repeating: 7, count: 32))

  func makeAssociation(role: DTLSRole, remote: [CertificateFingerprint]) -> any DTLSAssociation {
    FakeAssociation()
  }
}

/// Connected at once; a datagram that ends with an alert's close_notify closes it.
private final class FakeAssociation: DTLSAssociation {
  private(set) var state = DTLSState.handshaking
  let deadline: MonotonicInstant? = nil

  func start(now: MonotonicInstant) {
    state = .connected(SRTPKeyingMaterial(profile: .aeadAES128GCM, local: [], remote: []))
  }

  func receive(_ datagram: RawSpan, now: MonotonicInstant) {
    if datagram.byteCount == 16 { state = .closed }
  }

  func handleTimeout(now: MonotonicInstant) {}
  func takeDatagram(into buffer: inout MutableRawSpan) -> Int? { nil }
  func close() { state = .closed }
}

private final class Outbox: DatagramSink {
  private var datagrams: [[UInt8]] = []

  func send(_ octets: RawSpan, over link: TURNConnectionID) {}

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    precondition(datagram.byteCount > 0 && datagram.byteCount <= 1_532)
    if datagrams.count < 64 { datagrams.append(datagram.withUnsafeBytes { Array($0) }) }
  }

  func take() -> [[UInt8]] {
    defer { datagrams.removeAll(keepingCapacity: true) }
    return datagrams
  }
}

/// Checks what every frame has to keep.
private final class Frames: ReceivedFrameSink {
  private var last: [MediaKind: EncodedFrameHeader] = [:]

  func receive(_ header: EncodedFrameHeader, payload: RawSpan) {
    precondition(payload.byteCount > 0)
    if let last = last[header.kind] { precondition(header.timestamp >= last.timestamp) }
    last[header.kind] = header
  }
}
