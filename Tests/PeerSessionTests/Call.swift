import ICE
import MediaCore
import PeerSession
import TransportCrypto

/// A session, a peer and the network between them, in virtual time.
final class Call {
  static let sessionAddress = TransportAddress(ipv4: 0x0A00_0001, port: 5_000)
  /// The session's other interface, where it has one.
  static let otherAddress = TransportAddress(ipv4: 0x0A01_0001, port: 5_000)
  static let peerAddress = TransportAddress(ipv4: 0x0A00_0002, port: 6_000)

  /// What a test varies.
  struct Setup {
    var offer = OfferTemplate()
    var role = DTLSRole.server
    var hasCandidates = true
    var publish: Set<MediaKind> = [.audio, .video]
    var subscribe: Set<MediaKind> = [.audio, .video]
    var isReal = true
    var announcesOtherCertificate = false
    var seed: UInt64 = 1
    var sendLimit = Bitrate.kilobits(2_500)
    var transportPolicy = ICETransportPolicy.all
    /// Servers, which the session is told will be named.
    var servers: RelayRig?
    var hasOtherAddress = false
    /// The peer leaves it to the session to control ICE.
    var isPeerControlled = false
  }

  let session: PeerSession
  private var payloads = FramePayloadPool()
  let peer: TestPeer
  let collector = FrameCollector()
  var network: VirtualNetwork
  private let servers: RelayRig?
  private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private(set) var events: [(at: MonotonicInstant, event: PeerSessionEvent)] = []
  /// Calls of the session's `handleTimeout`.
  private(set) var timeoutCount = 0
  /// Datagrams that the session sent.
  private(set) var sentCount = 0
  private let outbox = Outbox()
  private var media = MediaSchedule()
  /// The last datagrams that the session sent.
  private(set) var lastSent: [[UInt8]] = []
  private var sentTo: [TransportAddress: Int] = [:]
  /// What leaves the session and what it receives is counted, but not kept.
  var discardsOutput: Bool {
    get { outbox.isDiscarding }
    set {
      outbox.isDiscarding = newValue
      collector.isDiscarding = newValue
    }
  }
  /// Whether the owner takes the session's events.
  var isDraining = true
  /// Which sides send media.
  var sessionSends = true
  /// Sound of the session's side is such as discontinuous transmission leaves empty.
  var isSilent = false
  /// Pictures come through ``send(_:payload:)`` instead.
  var hasSharedEncoder = false
  var peerSends = true
  /// Frames that were captured on the session's side.
  private(set) var localVideoCount: UInt32 = 0
  private(set) var localAudioCount: UInt32 = 0
  private var localNeedsKeyFrame = true

  init(_ setup: Setup = Setup()) throws {
    let stacks =
      setup.isReal
      ? [try TransportStack.real(0, seed: setup.seed), try .real(1, seed: setup.seed + 1_000)]
      : [.open(seed: setup.seed), .open(seed: setup.seed + 1_000)]
    network = VirtualNetwork(seed: setup.seed + 2_000)
    servers = setup.servers
    peer = TestPeer(
      address: setup.servers?.peerRelayed ?? Self.peerAddress, stack: stacks[1],
      role: setup.isPeerControlled ? .controlled : .controlling)
    var offer = setup.offer
    peer.fill(&offer)
    if setup.announcesOtherCertificate { offer.fingerprint.digest[0] ^= 1 }
    if setup.hasCandidates { offer.candidates = [peer.candidateLine] }
    session = try PeerSession(
      offer: offer.text,
      configuration: PeerSessionConfiguration(
        localAddresses: [Self.sessionAddress] + (setup.hasOtherAddress ? [Self.otherAddress] : []),
        publish: setup.publish, subscribe: setup.subscribe, cname: "camera",
        sendLimit: setup.sendLimit, transportPolicy: setup.transportPolicy, namesServers: setup.servers != nil,
        preferredDTLSRole: setup.role),
      dependencies: PeerSessionDependencies(
        crypto: stacks[0].crypto, dtls: stacks[0].dtls, protection: stacks[0].protection, network: outbox,
        frames: collector),
      now: now)
    drain()
    try peer.take(answer: session.localDescription, now: now)
    drain()
  }

  // MARK: Time

  /// Lets virtual time pass; stops early when `isDone` holds.
  func run(for span: TimeSpan, until isDone: () -> Bool = { false }) {
    let end = now + span
    // A deadline that stays in the past shows in the count, and must not hang the test.
    while !isDone(), timeoutCount < 100_000 {
      let deadlines = min(session.deadline, peer.deadline, servers?.deadline ?? .distantFuture)
      let next = min(network.nextArrival, deadlines, media.next)
      guard next <= end else { break }
      now = max(now, next)
      turn()
    }
    if !isDone() { now = end }
  }

  private func turn() {
    collector.now = now
    while let datagram = network.takeArrived(now: now) { deliver(datagram) }
    if session.deadline <= now {
      timeoutCount += 1
      session.handleTimeout(now: now)
    }
    if peer.deadline <= now { peer.handleTimeout(now: now) }
    servers?.handleTimeout(now: now, &network)
    sendMedia()
    drain()
  }

  private func deliver(_ datagram: FlyingDatagram) {
    if let servers, servers.deliver(datagram, in: self) {
      servers.flush(now: now, &network)
    } else if datagram.target == Self.sessionAddress || datagram.target == Self.otherAddress {
      inject(datagram.bytes, from: datagram.source, to: datagram.target)
    } else if datagram.target == peer.address {
      peer.receive(datagram.bytes, from: datagram.source, now: now)
    }
    drain()
  }

  /// Hands the session a datagram past the network; returns whether it took it for its peer's.
  @discardableResult
  func inject(
    _ bytes: [UInt8], from source: TransportAddress, to target: TransportAddress = Call.sessionAddress
  ) -> Bool {
    collector.now = now
    var bytes = bytes
    var span = bytes.mutableSpan
    var datagram = span.mutableBytes
    let isPeers = session.receive(&datagram, from: source, to: target, now: now)
    drain()
    return isPeers
  }

  /// Hands the session what came over one of its links.
  func inject(_ bytes: [UInt8], over link: TURNConnectionID) {
    collector.now = now
    var bytes = bytes
    var span = bytes.mutableSpan
    var octets = span.mutableBytes
    session.receive(&octets, over: link, now: now)
    drain()
  }

  /// Moves what both sides have to send to the network, and the session's events to ``events``.
  func drain() {
    for datagram in outbox.take() {
      sentCount += 1
      sentTo[datagram.target, default: 0] += 1
      lastSent = lastSent.suffix(7) + [datagram.bytes]
      network.carry(datagram.bytes, from: datagram.source, to: datagram.target, now: now)
    }
    for (link, bytes) in outbox.takeLinked() { servers?.carry(bytes, over: link, now: now, &network) }
    for datagram in peer.outbox {
      if servers?.carryFromPeer(datagram.bytes, to: datagram.remote, now: now, &network) == true { continue }
      network.carry(datagram.bytes, from: peer.address, to: datagram.remote, now: now)
    }
    peer.outbox.removeAll()
    while isDraining, let event = session.takeEvent() {
      events.append((now, event))
      if event == .keyFrameRequested { localNeedsKeyFrame = true }
      if case .candidateGathered(let text) = event { peer.addRemoteCandidate(text, now: now) }
    }
  }

  // MARK: Media

  private func sendMedia() {
    if media.takeVideo(now: now) {
      if sessionSends, !hasSharedEncoder { sendLocalVideo() }
      if peerSends { peer.sendVideo(now: now) }
    }
    if media.takeAudio(now: now) {
      if sessionSends { sendLocalAudio() }
      if peerSends { peer.sendAudio(now: now) }
    }
    if media.takeReport(now: now) { peer.sendReports(now: now) }
  }

  /// - Parameter leavesOut: the frame is captured, but dropped before it reaches the session.
  func sendLocalVideo(leavesOut: Bool = false) {
    let isKeyFrame = localNeedsKeyFrame
    let frame = TestFrame.video(localVideoCount, isKeyFrame: isKeyFrame)
    let header = EncodedFrameHeader(
      kind: .video, timestamp: now, duration: .zero, isKeyFrame: isKeyFrame, number: localVideoCount)
    localNeedsKeyFrame = false
    localVideoCount += 1
    if !leavesOut { session.send(header, payload: frame, from: &payloads, now: now) }
    drain()
  }

  /// Sends a frame that was encoded elsewhere.
  func send(_ header: EncodedFrameHeader, payload: [UInt8]) {
    var header = header
    header.timestamp = now
    session.send(header, payload: payload, from: &payloads, now: now)
    drain()
  }

  private func sendLocalAudio() {
    let frame = TestFrame.audio(localAudioCount)
    let header = EncodedFrameHeader(
      kind: .audio, timestamp: now, duration: .milliseconds(20), isKeyFrame: true, isDiscardable: isSilent,
      number: localAudioCount, soundLevel: 33)
    localAudioCount += 1
    session.send(audio: header, payload: frame.span.bytes, now: now)
  }

  /// How many datagrams the session has sent to an address since the last call.
  func takeSent(to address: TransportAddress) -> Int { sentTo.removeValue(forKey: address) ?? 0 }

  // MARK: What happened

  var connectedAt: MonotonicInstant? { events.first { $0.event == .connected }?.at }

  var end: PeerSessionEnd? {
    for case (_, .ended(let reason)) in events { return reason }
    return nil
  }

  func count(_ event: PeerSessionEvent) -> Int { events.count { $0.event == event } }

  /// Runs until both sides are connected.
  func connect() {
    run(for: .seconds(10)) { connectedAt != nil && peer.connectedAt != nil }
  }
}

/// Pictures at 30 a second, sound at 50, the peer's reports each second.
private struct MediaSchedule {
  private var video = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private var audio = MonotonicInstant(nanoseconds: 1_000_000_000_000)
  private var report = MonotonicInstant(nanoseconds: 1_000_000_000_000)

  var next: MonotonicInstant { min(video, audio, report) }

  mutating func takeVideo(now: MonotonicInstant) -> Bool { take(&video, every: .microseconds(33_333), now: now) }
  mutating func takeAudio(now: MonotonicInstant) -> Bool { take(&audio, every: .milliseconds(20), now: now) }
  mutating func takeReport(now: MonotonicInstant) -> Bool { take(&report, every: .seconds(1), now: now) }

  private func take(_ due: inout MonotonicInstant, every interval: TimeSpan, now: MonotonicInstant) -> Bool {
    guard due <= now else { return false }
    while due <= now { due = due + interval }
    return true
  }
}

/// Keeps what the session sends until the call hands it to the network.
private final class Outbox: DatagramSink {
  private var datagrams: [(bytes: [UInt8], source: TransportAddress, target: TransportAddress)] = []

  private var linked: [(link: TURNConnectionID, bytes: [UInt8])] = []

  var isDiscarding = false

  func send(_ octets: RawSpan, over link: TURNConnectionID) {
    guard !isDiscarding else { return }
    linked.append((link, octets.copiedToArray()))
  }

  func send(_ datagram: RawSpan, from local: TransportAddress, to remote: TransportAddress) {
    guard !isDiscarding else { return }
    datagrams.append((datagram.copiedToArray(), local, remote))
  }

  func takeLinked() -> [(link: TURNConnectionID, bytes: [UInt8])] {
    defer { linked.removeAll() }
    return linked
  }

  func take() -> [(bytes: [UInt8], source: TransportAddress, target: TransportAddress)] {
    defer { datagrams.removeAll() }
    return datagrams
  }
}
