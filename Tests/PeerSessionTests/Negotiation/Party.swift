import MediaCore
import PeerSession
import TransportCrypto

/// One side of a ``SessionPair``: a session with its encoder, and what it has received.
final class Party {
  let session: PeerSession
  let collector = FrameCollector()
  private(set) var events: [PeerSessionEvent] = []
  private let outbox: PartyOutbox
  private var frameNumbers: [MediaKind: UInt32] = [:]
  private var needsKeyFrame = true
  private var payloads = FramePayloadPool()
  /// Captures and encodes; what the session does with it is its own affair.
  var captures = true

  /// Makes the session: an offerer when `offer` is nil.
  init(
    _ configuration: PeerSessionConfiguration, answering offer: String? = nil, stack: TransportStack,
    now: MonotonicInstant
  ) throws {
    let outbox = PartyOutbox()
    self.outbox = outbox
    let dependencies = PeerSessionDependencies(
      crypto: stack.crypto, dtls: stack.dtls, protection: stack.protection, network: outbox, frames: collector)
    if let offer {
      session = try PeerSession(offer: offer, configuration: configuration, dependencies: dependencies, now: now)
    } else {
      session = PeerSession(offering: configuration, dependencies: dependencies, now: now)
    }
  }

  var isConnected: Bool { events.contains(.connected) }

  var end: PeerSessionEnd? {
    for case .ended(let reason) in events { return reason }
    return nil
  }

  func count(_ event: PeerSessionEvent) -> Int { events.count { $0 == event } }

  func receive(_ bytes: [UInt8], from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant) {
    collector.now = now
    var bytes = bytes
    var span = bytes.mutableSpan
    var datagram = span.mutableBytes
    session.receive(&datagram, from: source, to: target, now: now)
  }

  /// Captures a frame; video is a key frame when one has been asked for.
  func capture(_ kind: MediaKind, now: MonotonicInstant) {
    guard captures else { return }
    let number = frameNumbers[kind, default: 0]
    frameNumbers[kind] = number + 1
    let isKeyFrame = kind == .audio || needsKeyFrame
    let frame = kind == .audio ? TestFrame.audio(number) : TestFrame.video(number, isKeyFrame: isKeyFrame)
    if kind == .video { needsKeyFrame = false }
    session.send(
      EncodedFrameHeader(kind: kind, timestamp: now, duration: .zero, isKeyFrame: isKeyFrame, number: number),
      payload: frame, from: &payloads, now: now)
  }

  func takeEvents() {
    while let event = session.takeEvent() {
      events.append(event)
      if event == .keyFrameRequested { needsKeyFrame = true }
    }
  }

  /// Takes what came over a link.
  func receive(_ bytes: [UInt8], over link: TURNConnectionID, now: MonotonicInstant) {
    collector.now = now
    var bytes = bytes
    var span = bytes.mutableSpan
    var datagram = span.mutableBytes
    session.receive(&datagram, over: link, now: now)
  }

  func takeDatagrams() -> [PartyOutbox.Datagram] { outbox.take() }

  func takeLinked() -> [(link: TURNConnectionID, bytes: [UInt8])] { outbox.takeLinked() }
}

/// Keeps what a session sends until the pair hands it to the network.
final class PartyOutbox: DatagramSink {
  typealias Datagram = (bytes: [UInt8], source: TransportAddress, target: TransportAddress)
  private var datagrams: [Datagram] = []

  private var linked: [(link: TURNConnectionID, bytes: [UInt8])] = []

  func send(_ octets: RawSpan, over link: TURNConnectionID) { linked.append((link, octets.copiedToArray())) }

  func takeLinked() -> [(link: TURNConnectionID, bytes: [UInt8])] {
    defer { linked.removeAll() }
    return linked
  }

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    datagrams.append((datagram.copiedToArray(), local, remote))
  }

  func take() -> [Datagram] {
    defer { datagrams.removeAll() }
    return datagrams
  }
}
