import ICE
import MediaCore
import RTP
import SDP
import TransportCrypto

/// What takes part in a call besides the session under test: an offerer built from the same parts, but by hand.
///
/// It controls ICE, takes whichever DTLS role the answer leaves it, sends and receives both kinds of media, and notes
/// all RTCP that it gets. Sans-IO: datagrams to send gather in ``outbox``.
final class TestPeer {
  static let audioSSRC = SSRC(0x1111_1111)
  static let videoSSRC = SSRC(0x2222_2222)
  static let rtxSSRC = SSRC(0x3333_3333)

  let address: TransportAddress
  let stack: TransportStack
  private(set) var agent: ICEAgent
  private(set) var dtls: (any DTLSAssociation)?
  private(set) var protection: (any PacketProtection)?
  private(set) var answer: SDPSession?
  private(set) var connectedAt: MonotonicInstant?
  var outbox: [(bytes: [UInt8], remote: TransportAddress)] = []

  var sender: TestSender
  var receiver = TestReceiver()
  /// Everything that came over RTCP.
  var feedback: [(at: MonotonicInstant, item: RTCPItem)] = []
  /// What the session told of the arrival of packets.
  private(set) var transportReports: [(at: MonotonicInstant, number: UInt8, arrivals: [PacketArrival])] = []
  /// Tells the session when its packets arrived; nil where that was not agreed.
  private var transportFeedback: TransportFeedbackGenerator?
  /// Reports its own estimate; nil for a peer that reports none, or by hand.
  var receiverEstimate: KalmanReceiverEstimate?
  /// How far this side's clock is ahead, in the arrival times that it tells.
  var clockOffset = TimeSpan.zero
  /// How loud the session said its sound is.
  private(set) var heardLevels: [UInt8] = []
  private var lastTransportNumber: SequenceNumber = 0
  private var referenceTimes = ReferenceTimeResponder()
  /// Neither sends nor hears.
  var isSilent = false
  var dropsDTLS = false
  /// Answers connectivity checks and makes none (RFC 8445 §2.5).
  var isLite = false
  var answersNacks = true
  var answersKeyFrameRequests = true

  init(address: TransportAddress, stack: TransportStack, role: ICERole = .controlling) {
    self.address = address
    self.stack = stack
    agent = ICEAgent(role: role, credentials: .make(crypto: stack.crypto), crypto: stack.crypto)
    sender = TestSender()
    agent.addLocalCandidate(.host(address), now: MonotonicInstant(nanoseconds: 0))
  }

  /// The offer's transport, as the template wants it.
  func fill(_ offer: inout OfferTemplate) {
    offer.usernameFragment = agent.localCredentials.usernameFragment
    offer.password = agent.localCredentials.password
    offer.fingerprint = stack.dtls.fingerprint
  }

  /// The sources that the answer announces.
  var announcedVideo: SSRC? { receiver.videoSSRC }
  var announcedAudio: SSRC? { receiver.audioSSRC }

  var candidateLine: String { "\(Candidate(foundation: "1", priority: 2_130_706_431, address: address))" }

  func take(answer text: String, now: MonotonicInstant) throws {
    let answer = try SessionDescriptionParser.parse(text)
    let media = answer.media.first { $0.port != 0 }!
    let transport = media.transport
    dtls = try stack.dtls.makeAssociation(
      role: transport.setup == .active ? .server : .client, remote: transport.fingerprints)
    receiver.take(answer)
    self.answer = answer
    if media.headerExtensions.contains(where: { $0.id == OfferTemplate.transportSequence }) {
      transportFeedback = TransportFeedbackGenerator()
    }
    sender.usesTransportWide = media.headerExtensions.contains { $0.id == OfferTemplate.transportSequence }
    agent.setRemoteCredentials(
      ICECredentials(usernameFragment: transport.iceUsernameFragment!, password: transport.icePassword!), now: now)
    for candidate in media.candidates {
      let kind = ICECandidateKind.host
      agent.addRemoteCandidate(
        ICECandidate(
          kind: kind, address: candidate.address!, priority: candidate.priority, foundation: candidate.foundation),
        now: now)
    }
    flush(now: now)
  }

  /// Takes a candidate that the session has gathered.
  func addRemoteCandidate(_ text: String, now: MonotonicInstant) {
    guard let candidate = Candidate(parsing: text), let address = candidate.address else { return }
    agent.addRemoteCandidate(
      ICECandidate(kind: .host, address: address, priority: candidate.priority, foundation: candidate.foundation),
      now: now)
    flush(now: now)
  }

  // MARK: Time and datagrams

  var deadline: MonotonicInstant {
    guard !isSilent else { return .distantFuture }
    let transport = min(agent.deadline ?? .distantFuture, dtls?.deadline ?? .distantFuture)
    return min(transport, receiver.deadline, transportFeedback?.deadline.map { $0 - clockOffset } ?? .distantFuture)
  }

  func handleTimeout(now: MonotonicInstant) {
    agent.handleTimeout(now: now)
    dtls?.handleTimeout(now: now)
    flush(now: now)
    guard protection != nil else { return }
    sendFeedback(now: now)
    if let deadline = transportFeedback?.deadline, deadline <= now + clockOffset { sendTransportFeedback(now: now) }
  }

  func receive(_ bytes: [UInt8], from remote: TransportAddress, now: MonotonicInstant) {
    guard !isSilent else { return }
    var bytes = bytes
    var span = bytes.mutableSpan
    var datagram = span.mutableBytes
    switch DatagramKind(datagram.bytes) {
    case .stun: agent.handleDatagram(datagram.bytes, from: remote, to: address, now: now)
    case .dtls where dropsDTLS: break
    case .dtls: dtls?.receive(datagram.bytes, now: now)
    case .rtp: note(receiveRTP(&datagram, now: now), from: remote, now: now)
    case .rtcp: note(receiveRTCP(&datagram, now: now), from: remote, now: now)
    case .turnChannel, .unknown: break
    }
    flush(now: now)
  }

  private func note(_ isAuthentic: Bool, from remote: TransportAddress, now: MonotonicInstant) {
    if isAuthentic { agent.notePacket(from: remote, to: address, now: now) }
  }

  private func flush(now: MonotonicInstant) {
    while let datagram = written({ agent.takeTransmit(into: &$0).map { ($0.count, $0.remote) } }) {
      let isBindingRequest = datagram.bytes.starts(with: [0, 1])
      if !isLite || !isBindingRequest { outbox.append(datagram) }
    }
    while let event = agent.takeEvent() {
      if case .connected = event, !dropsDTLS { dtls?.start(now: now) }
    }
    flushDTLS(now: now)
  }

  private func flushDTLS(now: MonotonicInstant) {
    guard let dtls, let remote = agent.selectedPair?.remote else { return }
    while let datagram = written({ buffer in dtls.takeDatagram(into: &buffer).map { ($0, remote) } }) {
      outbox.append(datagram)
    }
    guard case .connected(let keys) = dtls.state, protection == nil else { return }
    protection = try? stack.protection.makeProtection(keys)
    connectedAt = now
  }

  private func written(
    _ write: (inout MutableRawSpan) -> (Int, TransportAddress)?
  ) -> (bytes: [UInt8], remote: TransportAddress)? {
    var storage = [UInt8](repeating: 0, count: 2_000)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    guard let (count, remote) = write(&buffer) else { return nil }
    return (Array(storage.prefix(count)), remote)
  }

  var isDTLSClosed: Bool {
    if case .closed = dtls?.state { true } else { false }
  }

  func close(now: MonotonicInstant) {
    dtls?.close()
    flushDTLS(now: now)
  }

  // MARK: Protected packets

  private func receiveRTP(_ datagram: inout MutableRawSpan, now: MonotonicInstant) -> Bool {
    guard let protection, let length = try? protection.unprotectRTP(&datagram, length: datagram.byteCount),
      let header = try? RTPHeader(parsing: datagram.bytes.extracting(0..<length))
    else { return false }
    let packet = datagram.bytes.extracting(0..<length)
    if header.ssrc == receiver.audioSSRC, let level = header.audioLevel(OfferTemplate.audioLevel, in: packet) {
      heardLevels.append(level.attenuation)
    }
    if let number = header.transportSequenceNumber(OfferTemplate.transportSequence, in: packet) {
      lastTransportNumber = number
      transportFeedback?.receive(number, now: now + clockOffset)
      if transportFeedback?.isDue(now: now + clockOffset) == true { sendTransportFeedback(now: now) }
    }
    if header.ssrc == receiver.videoSSRC || header.ssrc == receiver.rtxSSRC,
      let limit = receiverEstimate?.receive(header, packet: packet, now: now)
    {
      sendReceiveLimit(limit, of: [receiver.videoSSRC, receiver.rtxSSRC].compactMap(\.self), now: now)
    }
    receiver.receive(header, packet: packet, now: now)
    sendFeedback(now: now)
    return true
  }

  /// A report on ten packets, each the ten after those of the report before; unprotected.
  func makeTransportReport(_ index: Int, now: MonotonicInstant) -> [UInt8] {
    var generator = TransportFeedbackGenerator()
    for offset in 0..<10 {
      let number = lastTransportNumber.advanced(by: 10 * (index - 30) + offset)
      generator.receive(number, now: now + .milliseconds(Int64(offset)))
    }
    return writtenOctets { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try generator.write(sender: Self.videoSSRC, media: Self.videoSSRC, now: now, to: &writer)
      return writer.count
    }!
  }

  private func sendTransportFeedback(now: MonotonicInstant) {
    let packet = writtenOctets(capacity: 1_200) { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try transportFeedback?.write(
        sender: Self.videoSSRC, media: receiver.videoSSRC ?? SSRC(0), now: now + clockOffset, to: &writer)
      return writer.count
    }
    send(rtcp: packet ?? [])
  }

  private func receiveRTCP(_ datagram: inout MutableRawSpan, now: MonotonicInstant) -> Bool {
    guard let protection, let length = try? protection.unprotectRTCP(&datagram, length: datagram.byteCount) else {
      return false
    }
    let compound = datagram.bytes.extracting(0..<length)
    var reader = RTCPReader()
    while let item = (try? reader.next(in: compound)) ?? nil {
      feedback.append((now, item))
      if case .transportFeedback(let report) = item { note(report, in: compound, now: now) }
      answer(item, now: now)
    }
    return true
  }

  private func note(_ report: TransportFeedback, in compound: RawSpan, now: MonotonicInstant) {
    var cursor = TransportFeedbackCursor(report)
    var arrivals: [PacketArrival] = []
    while let arrival = cursor.next(in: compound) { arrivals.append(arrival) }
    transportReports.append((now, report.number, arrivals))
  }

  private func answer(_ item: RTCPItem, now: MonotonicInstant) {
    switch item {
    case .senderReport(let ssrc, let info): receiver.receive(info, of: ssrc, now: now)
    case .reportBlock(_, let block):
      sender.receive(block, now: now)
      if let roundTrip = sender.roundTrip { receiver.adapt(roundTrip: roundTrip) }
    case .pictureLossIndication(let media), .fullIntraRequest(let media, _):
      if answersKeyFrameRequests, media == sender.videoSSRC { sender.wantsKeyFrame = true }
    case .nack(let media, let entry):
      guard answersNacks, media == sender.videoSSRC else { return }
      for packet in sender.resend(entry, now: now) { send(rtp: packet) }
    case .receiverReferenceTime(let reporter, let ntp): referenceTimes.receive(ntp, from: reporter, now: now)
    default: break
    }
  }

  func send(rtp packet: [UInt8]) {
    send(packet) { (protection, buffer, count) in try protection.protectRTP(&buffer, length: count) }
  }

  func send(rtcp compound: [UInt8]) {
    guard !compound.isEmpty else { return }
    send(compound) { (protection, buffer, count) in try protection.protectRTCP(&buffer, length: count) }
  }

  private func send(_ packet: [UInt8], _ protect: (any PacketProtection, inout MutableRawSpan, Int) throws -> Int) {
    guard let protection, let remote = agent.selectedPair?.remote, !isSilent else { return }
    var storage = packet + [UInt8](repeating: 0, count: maximumTrailerLength)
    var span = storage.mutableSpan
    var buffer = span.mutableBytes
    guard let count = try? protect(protection, &buffer, packet.count) else { return }
    outbox.append((Array(storage.prefix(count)), remote))
  }

  // MARK: Media

  func sendVideo(now: MonotonicInstant, captured: MonotonicInstant? = nil) {
    guard protection != nil else { return }
    for packet in sender.makeVideo(captured: captured ?? now, now: now) { send(rtp: packet) }
  }

  func sendAudio(now: MonotonicInstant, captured: MonotonicInstant? = nil) {
    guard protection != nil else { return }
    send(rtp: sender.makeAudio(captured: captured ?? now, now: now))
  }

  /// Sends a telephone-event in the place of a packet of sound.
  func sendTelephoneEvent(_ code: UInt8, at timestamp: UInt32, isEnd: Bool = false, now: MonotonicInstant) {
    guard protection != nil else { return }
    var packet = sender.makeAudio(captured: now, now: now)
    guard let header = try? RTPHeader(parsing: packet.span.bytes) else { return }
    packet[1] = OfferTemplate.telephoneEventType
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      packet[4 + index] = UInt8(truncatingIfNeeded: timestamp >> shift)
    }
    packet.replaceSubrange(header.payloadRange, with: [code, isEnd ? 0x8A : 0x0A, 3, 0xC0])
    send(rtp: packet)
  }

  /// Says how much it can receive, with REMB.
  func sendReceiveLimit(_ limit: Bitrate, of media: [SSRC] = [], now: MonotonicInstant) {
    send(
      rtcp: writtenOctets { (buffer) throws(InsufficientSpace) in
        var writer = ByteWriter(overwriting: &buffer)
        try RTCPWriter.writeReceiverEstimatedMaximumBitrate(
          sender: Self.videoSSRC, bitrate: limit, media: media.span, to: &writer)
        return writer.count
      }!)
  }

  func sendReports(now: MonotonicInstant) {
    guard protection != nil else { return }
    let reports = sender.makeReports(blocks: receiver.makeReportBlocks(now: now), now: now)
    send(rtcp: reports + makeReferenceAnswer(now: now))
  }

  private func makeReferenceAnswer(now: MonotonicInstant) -> [UInt8] {
    guard let answer = referenceTimes.takeAnswer(now: now) else { return [] }
    return writtenOctets { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try RTCPWriter.writeReferenceAnswer(ssrc: Self.videoSSRC, answer: answer, to: &writer)
      return writer.count
    }!
  }

  private func sendFeedback(now: MonotonicInstant) {
    send(rtcp: receiver.makeFeedback(now: now))
  }

  /// The NACKs, PLIs and so on that came, by a selector.
  func feedbackCount(where isWanted: (RTCPItem) -> Bool) -> Int { feedback.count { isWanted($0.item) } }
}
