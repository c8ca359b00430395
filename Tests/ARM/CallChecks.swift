import MediaCore
import PeerSession
import TestSupport
import TransportCrypto

/// Ten seconds' call of two sessions, with lost packets and clocks that have run for long.
func checkCalls() {
  checkFrameRing()
  for start in [1_000_000_000, 1 << 42, 1 << 60] as [Int64] {
    let call = SeededCall(start: MonotonicInstant(nanoseconds: start))
    call?.run(for: .seconds(10))
    expect(call?.caller.isConnected == true && call?.callee.isConnected == true)
    for side in [call?.caller, call?.callee] {
      expect((side?.frames.audioCount ?? 0) > 400 && (side?.frames.videoCount ?? 0) > 100)
    }
  }
}

/// More than 2^31 bytes pass through one ring.
private func checkFrameRing() {
  let ring = FrameRing(byteCount: 64 << 20)
  let payload = [UInt8](repeating: 1, count: 31 << 20)
  for number in 0..<80 as Range<UInt32> {
    let header = EncodedFrameHeader(
      kind: .video, timestamp: MonotonicInstant(nanoseconds: 0), duration: .zero, isKeyFrame: true, number: number)
    expect(ring.push(header, payload: payload.span.bytes))
    expect(ring.popFirst { header, payload in header.number == number && payload.byteCount == 31 << 20 } == true)
  }
  expect(ring.end > 1 << 31)
}

/// Two sessions, and a network that loses one datagram in a hundred, in virtual time.
private final class SeededCall {
  let caller: Side
  let callee: Side
  private var now: MonotonicInstant
  private var inFlight: [(arrival: MonotonicInstant, toCaller: Bool, datagram: Datagram)] = []
  private var generator = SeededGenerator(seed: 5)
  private var nextSound: MonotonicInstant
  private var nextFrame: MonotonicInstant

  init?(start: MonotonicInstant) {
    let addresses = [address("10.0.0.1", 5_000), address("10.0.0.2", 6_000)]
    func configuration(_ index: Int) -> PeerSessionConfiguration {
      PeerSessionConfiguration(
        localAddresses: [addresses[index]], publish: [.audio, .video], subscribe: [.audio, .video], cname: "c\(index)")
    }
    (now, nextSound, nextFrame) = (start, start, start)
    caller = Side(seed: 1) { PeerSession(offering: configuration(0), dependencies: $0, now: start) }
    let offer = caller.session?.localDescription ?? ""
    callee = Side(seed: 2) {
      try? PeerSession(offer: offer, configuration: configuration(1), dependencies: $0, now: start)
    }
    guard let answer = callee.session?.localDescription,
      (try? caller.session?.accept(answer: answer, now: start)) != nil
    else { return nil }
  }

  func run(for span: TimeSpan) {
    let end = now + span
    while now < end {
      deliver()
      for side in [caller, callee] { side.handleTimeout(now: now) }
      if nextSound <= now { capture(.audio) }
      if nextFrame <= now { capture(.video) }
      for side in [caller, callee] { carry(from: side) }
      now = now + .milliseconds(1)
    }
  }

  private func deliver() {
    while let first = inFlight.first, first.arrival <= now {
      inFlight.removeFirst()
      (first.toCaller ? caller : callee).receive(first.datagram, now: now)
    }
  }

  private func capture(_ kind: MediaKind) {
    switch kind {
    case .audio: nextSound = nextSound + .milliseconds(20)
    case .video: nextFrame = nextFrame + .milliseconds(33)
    }
    for side in [caller, callee] { side.capture(kind, now: now) }
  }

  private func carry(from side: Side) {
    for datagram in side.outbox.take() where generator.next() % 100 != 0 {
      inFlight.append((now + .milliseconds(10), side !== caller, datagram))
    }
    side.takeEvents()
  }
}

private struct Datagram {
  var bytes: [UInt8]
  var source: TransportAddress
  var target: TransportAddress
}

private final class Side {
  let outbox = Outbox()
  let frames = FrameCounter()
  let session: PeerSession?
  private(set) var isConnected = false
  private var numbers: [MediaKind: UInt32] = [:]
  private var needsKeyFrame = true
  private var payloads = FramePayloadPool()

  init(seed: UInt64, _ make: (PeerSessionDependencies) -> PeerSession?) {
    session = make(
      PeerSessionDependencies(
        crypto: SeededCrypto(seed: seed), dtls: InstantDTLS(), protection: CopyingProtection(), network: outbox,
        frames: frames))
  }

  func handleTimeout(now: MonotonicInstant) {
    guard let session, session.deadline <= now else { return }
    session.handleTimeout(now: now)
  }

  func receive(_ datagram: Datagram, now: MonotonicInstant) {
    var bytes = datagram.bytes
    var span = bytes.mutableSpan
    var octets = span.mutableBytes
    session?.receive(&octets, from: datagram.source, to: datagram.target, now: now)
  }

  func capture(_ kind: MediaKind, now: MonotonicInstant) {
    let isKeyFrame = kind == .audio || needsKeyFrame
    if kind == .video { needsKeyFrame = false }
    let picture: [UInt8] = [isKeyFrame ? 0x10 : 0x11, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01]
    let payload = (kind == .audio ? [31 << 3] : picture) + [UInt8](repeating: 7, count: kind == .audio ? 80 : 1_500)
    let number = numbers[kind, default: 0]
    numbers[kind] = number + 1
    let header = EncodedFrameHeader(
      kind: kind, timestamp: now, duration: .zero, isKeyFrame: isKeyFrame, number: number)
    switch kind {
    case .audio: session?.send(audio: header, payload: payload.span.bytes, now: now)
    case .video: session?.send(video: header, payload: payloads.copy(payload.span.bytes), now: now)
    }
  }

  func takeEvents() {
    while let event = session?.takeEvent() {
      switch event {
      case .connected: isConnected = true
      case .keyFrameRequested: needsKeyFrame = true
      default: break
      }
    }
  }
}

private final class Outbox: DatagramSink {
  private var datagrams: [Datagram] = []

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    datagrams.append(Datagram(bytes: datagram.copiedToArray(), source: local, target: remote))
  }

  func send(_ octets: RawSpan, over link: TURNConnectionID) {}

  func take() -> [Datagram] {
    defer { datagrams.removeAll() }
    return datagrams
  }
}

private final class FrameCounter: ReceivedFrameSink {
  private(set) var audioCount = 0
  private(set) var videoCount = 0

  func receive(_ header: EncodedFrameHeader, payload: RawSpan) {
    if header.kind == .audio { audioCount += 1 } else { videoCount += 1 }
  }
}
