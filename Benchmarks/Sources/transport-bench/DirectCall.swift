import CTestSupport
import MediaCore
import OpenSSLCrypto
import PeerSession
import DTLSSRTP
import TransportCrypto

/// Two sessions on one thread in virtual time, one that shows pictures and one that watches.
///
/// The handshake has no messages; packets are protected with keys of the wanted profile.
final class DirectCall {
  private static let senderAddress = TransportAddress(ipv4: 0x7F00_0001, port: 1)
  private static let watcherAddress = TransportAddress(ipv4: 0x7F00_0001, port: 2)

  private let sender: PeerSession
  private let watcher: PeerSession
  private let fromSender: any DatagramQueue
  private let fromWatcher = MemoryQueue()
  private let media = TestMedia()
  private var payloads = FramePayloadPool()
  private var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private var pictures: UInt32 = 0
  private var packets: UInt32 = 0
  private var isKeyFrameWanted = true
  private var cost = SessionCost()

  /// - Parameter queue: takes what is sent to whoever watches.
  init(profile: SRTPProfile, queue: any DatagramQueue) throws {
    let dtls = KeyedDTLS(profile)
    fromSender = queue
    watcher = PeerSession(
      offering: Self.configuration(Self.watcherAddress), dependencies: Self.dependencies(dtls, fromWatcher), now: now)
    sender = try PeerSession(
      offer: watcher.localDescription, configuration: Self.configuration(Self.senderAddress),
      dependencies: Self.dependencies(dtls, fromSender), now: now)
    try watcher.accept(answer: sender.localDescription, now: now)
  }

  private static func configuration(_ address: TransportAddress) -> PeerSessionConfiguration {
    PeerSessionConfiguration(
      localAddresses: [address], publish: [.audio, .video], subscribe: [.audio, .video], cname: "bench",
      sendLimit: .kilobits(1_000))
  }

  private static func dependencies(_ dtls: KeyedDTLS, _ queue: any DatagramSink) -> PeerSessionDependencies {
    PeerSessionDependencies(
      crypto: OpenSSLCrypto(), dtls: dtls, protection: SRTPCrypto(), network: queue, frames: NoFrames())
  }

  /// Sends so many pictures, and the sound of that time; returns what that has cost the sender.
  func run(pictures count: Int) -> SessionCost {
    let packetsBefore = sender.statistics.packetsSent
    cost = SessionCost()
    for _ in 0..<count {
      sendFrame()
      let end = now + TestMedia.frameSpan
      while TestMedia.packetSpan * Int64(packets) <= TestMedia.frameSpan * Int64(pictures) { sendPacket() }
      while min(sender.deadline, watcher.deadline) < end { handleTimeout() }
      now = end
    }
    cost.packets = Int(sender.statistics.packetsSent - packetsBefore)
    return cost
  }

  private func sendFrame() {
    let isKeyFrame = isKeyFrameWanted
    isKeyFrameWanted = false
    let (header, payload) = media.picture(pictures, isKeyFrame: isKeyFrame, at: now)
    pictures += 1
    countFrame { sender.send(video: header, payload: payloads.copy(payload.span.bytes), now: now) }
    exchange()
  }

  private func sendPacket() {
    let (header, payload) = media.packet(packets, at: now)
    packets += 1
    countFrame { sender.send(audio: header, payload: payload.span.bytes, now: now) }
    exchange()
  }

  private func handleTimeout() {
    now = max(now, min(sender.deadline, watcher.deadline))
    if sender.deadline <= now { count(&cost.sending) { sender.handleTimeout(now: now) } }
    if watcher.deadline <= now { watcher.handleTimeout(now: now) }
    exchange()
  }

  private func countFrame(_ body: () -> Void) {
    let allocations = callocation_count()
    count(&cost.sending, body)
    cost.frameAllocations += callocation_count() - allocations
  }

  private func count(_ sum: inout Int64, _ body: () -> Void) {
    sum += threadTime(of: {
      body()
      fromSender.flush()
    })
  }

  private func exchange() {
    while deliverToWatcher() || deliverToSender() {}
    while let event = sender.takeEvent() { if event == .keyFrameRequested { isKeyFrameWanted = true } }
    while watcher.takeEvent() != nil {}
  }

  private func deliverToWatcher() -> Bool {
    fromSender.take { datagram in
      watcher.receive(&datagram, from: Self.senderAddress, to: Self.watcherAddress, now: now)
    }
  }

  private func deliverToSender() -> Bool {
    fromWatcher.take { datagram in
      count(&cost.receiving) {
        sender.receive(&datagram, from: Self.watcherAddress, to: Self.senderAddress, now: now)
      }
    }
  }
}

/// Drops what is received.
private final class NoFrames: ReceivedFrameSink {
  func receive(_ header: EncodedFrameHeader, payload: RawSpan) {}
}

/// DTLS that is connected as soon as it starts, with the same key both ways.
private final class KeyedDTLS: DTLSAssociationMaking {
  let fingerprint = CertificateFingerprint(algorithm: "sha-256", digest: Array(repeating: 7, count: 32))
  private let profile: SRTPProfile

  init(_ profile: SRTPProfile) { self.profile = profile }

  func makeAssociation(role: DTLSRole, remote: [CertificateFingerprint]) -> any DTLSAssociation {
    KeyedAssociation(profile)
  }
}

private final class KeyedAssociation: DTLSAssociation {
  private(set) var state = DTLSState.handshaking
  let deadline: MonotonicInstant? = nil
  private let profile: SRTPProfile

  init(_ profile: SRTPProfile) { self.profile = profile }

  func start(now: MonotonicInstant) {
    let key = [UInt8](repeating: 0x42, count: profile.keyLengths.key + profile.keyLengths.salt)
    state = .connected(SRTPKeyingMaterial(profile: profile, local: key, remote: key))
  }

  func receive(_ datagram: RawSpan, now: MonotonicInstant) {}
  func handleTimeout(now: MonotonicInstant) {}
  func takeDatagram(into buffer: inout MutableRawSpan) -> Int? { nil }
  func close() { state = .closed }
}
