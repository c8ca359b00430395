import MediaCore
import RTP

/// The sending half of a ``TestPeer``.
struct TestSender: ~Copyable {
  /// The peer's clock, in NTP time, at the local instant 0.
  static let clockOffset: Int64 = 1_700_000_000_000_000_000

  var wantsKeyFrame = true
  private(set) var videoCount: UInt32 = 0
  private(set) var audioCount: UInt32 = 0
  private(set) var packetsResent = 0
  /// Of pictures, sent for the first time.
  private(set) var packetsSent = 0
  var videoSSRC = TestPeer.videoSSRC
  /// What each packet carries besides its payload; nil leaves it out.
  var mid: String?
  var rid: String?
  var audioLevel: AudioLevel?
  /// Whether packets carry transport-wide numbers and the time of sending.
  var usesTransportWide = false
  private(set) var nextTransportNumber: SequenceNumber = 0xFF00
  /// When each of them was sent.
  private(set) var sendingTimes: [SequenceNumber: MonotonicInstant] = [:]
  private var video = VP8Packetizer(
    ssrc: TestPeer.videoSSRC, payloadType: OfferTemplate.videoPayloadType, firstSequenceNumber: 0xFFF0,
    firstPictureID: 0x7FFA)
  private var audio = OpusPacketizer(
    ssrc: TestPeer.audioSSRC, payloadType: OfferTemplate.audioPayloadType, firstSequenceNumber: 0x10)
  private var rtx = RTXEncapsulation(
    ssrc: TestPeer.rtxSSRC, payloadType: OfferTemplate.rtxPayloadType, firstSequenceNumber: 5)
  private var history = PacketHistory()
  private var payloads = FramePayloadPool()
  private var videoStatistics = SendStatistics(ssrc: TestPeer.videoSSRC, clockRate: 90_000)
  private var audioStatistics = SendStatistics(ssrc: TestPeer.audioSSRC, clockRate: 48_000)

  var roundTrip: TimeSpan? { videoStatistics.roundTrip ?? audioStatistics.roundTrip }

  /// Goes on under another source, as a peer that has changed its track.
  mutating func changeVideoSource(to ssrc: SSRC) {
    video = VP8Packetizer(
      ssrc: ssrc, payloadType: OfferTemplate.videoPayloadType, firstSequenceNumber: 0x100, firstPictureID: 1)
    videoStatistics = SendStatistics(ssrc: ssrc, clockRate: 90_000)
    wantsKeyFrame = true
    videoSSRC = ssrc
  }

  /// RTP timestamps begin just below their wrap.
  private static func timestamp(_ captured: MonotonicInstant, rate: Int64) -> UInt32 {
    UInt32(truncatingIfNeeded: captured.nanoseconds / 1_000 * rate / 1_000_000) &- 100_000
  }

  private mutating func makeExtensions(_ kind: MediaKind, now: MonotonicInstant) -> RTPHeaderExtensionBlock {
    var block = RTPHeaderExtensionBlock()
    if let mid { block.set(OfferTemplate.mid, to: Array((kind == .video ? mid : "a").utf8).span.bytes) }
    if let rid, kind == .video { block.set(OfferTemplate.streamID, to: Array(rid.utf8).span.bytes) }
    if let audioLevel, kind == .audio {
      block.set(OfferTemplate.audioLevel, to: UInt32(audioLevel.octet), byteCount: 1)
    }
    guard usesTransportWide else { return block }
    block.set(OfferTemplate.sendTime, to: AbsoluteSendTime(now).rawValue, byteCount: 3)
    block.set(OfferTemplate.transportSequence, to: UInt32(nextTransportNumber.rawValue), byteCount: 2)
    sendingTimes[nextTransportNumber] = now
    nextTransportNumber = nextTransportNumber.advanced(by: 1)
    return block
  }

  mutating func makeVideo(captured: MonotonicInstant, now: MonotonicInstant? = nil) -> [[UInt8]] {
    let frame = TestFrame.video(videoCount, isKeyFrame: wantsKeyFrame)
    wantsKeyFrame = false
    videoCount += 1
    let timestamp = Self.timestamp(captured, rate: 90_000)
    let made = video.packetize(VP8Packetizer.Frame(timestamp: timestamp), byteCount: frame.count)
    history.append(made, of: payloads.copy(frame.span.bytes), firstWaiting: made.firstSequenceNumber)
    var packets: [[UInt8]] = []
    for index in 0..<made.count {
      let extensions = makeExtensions(.video, now: now ?? captured)
      let packet = writtenOctets { (buffer) throws(InsufficientSpace) in
        try made.write(index, of: frame.span.bytes, extensions: extensions, into: &buffer)
      }!
      videoStatistics.send(timestamp: timestamp, captured: captured, payloadByteCount: packet.count - 12)
      packets.append(packet)
    }
    packetsSent += packets.count
    return packets
  }

  mutating func makeAudio(captured: MonotonicInstant, now: MonotonicInstant? = nil) -> [UInt8] {
    let frame = TestFrame.audio(audioCount)
    let extensions = makeExtensions(.audio, now: now ?? captured)
    audioCount += 1
    let timestamp = Self.timestamp(captured, rate: 48_000)
    audioStatistics.send(timestamp: timestamp, captured: captured, payloadByteCount: frame.count)
    return writtenOctets { (buffer) throws(InsufficientSpace) in
      try audio.packet(frame.span.bytes, timestamp: timestamp, extensions: extensions, into: &buffer)
    }!
  }

  /// A packet that holds nothing but padding, as bandwidth probes do.
  mutating func makeAudioPadding(captured: MonotonicInstant) -> [UInt8] {
    var octets = writtenOctets { (buffer) throws(InsufficientSpace) in
      try audio.packet(
        RawSpan(), timestamp: Self.timestamp(captured, rate: 48_000), extensions: RTPHeaderExtensionBlock(),
        into: &buffer)
    }!
    octets[0] |= 0x20
    return octets + [0, 0, 0, 4]
  }

  mutating func resend(_ entry: NackEntry, now: MonotonicInstant) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    for offset in 0...16 {
      guard let number = entry.number(at: offset) else { continue }
      let packet = writtenOctets { (buffer) throws(InsufficientSpace) in
        try history.retransmit(
          Retransmission(number, minimumInterval: .milliseconds(5), now: now), over: &rtx,
          extensions: RTPHeaderExtensionBlock(),
          into: &buffer)
      }
      if let packet { packets.append(packet) }
    }
    packetsResent += packets.count
    return packets
  }

  mutating func receive(_ block: ReportBlock, now: MonotonicInstant) {
    videoStatistics.receive(block, now: now)
    audioStatistics.receive(block, now: now)
  }

  /// A compound of both streams' sender reports; the blocks go with the first.
  mutating func makeReports(blocks: [ReportBlock], now: MonotonicInstant) -> [UInt8] {
    let ntp = NTPTimestamp(unixNanoseconds: now.nanoseconds + Self.clockOffset)
    let video = videoStatistics.makeSenderInfo(ntp: ntp, now: now)
    let audio = audioStatistics.makeSenderInfo(ntp: ntp, now: now)
    let (videoSSRC, audioSSRC) = (videoStatistics.ssrc, TestPeer.audioSSRC)
    return writtenOctets { (buffer) throws(InsufficientSpace) in
      var writer = ByteWriter(overwriting: &buffer)
      try RTCPWriter.writeReceiverReport(ssrc: videoSSRC, blocks: blocks.span, to: &writer)
      let none: [ReportBlock] = []
      if let video {
        try RTCPWriter.writeSenderReport(ssrc: videoSSRC, info: video, blocks: none.span, to: &writer)
      }
      if let audio {
        try RTCPWriter.writeSenderReport(ssrc: audioSSRC, info: audio, blocks: none.span, to: &writer)
      }
      return writer.count
    }!
  }
}

/// What `write` puts at the front of a buffer; nil when it returns nil or lacks space.
func writtenOctets(
  capacity: Int = 2_000, _ write: (inout MutableRawSpan) throws(InsufficientSpace) -> Int?
) -> [UInt8]? {
  var storage = [UInt8](repeating: 0, count: capacity)
  var span = storage.mutableSpan
  var buffer = span.mutableBytes
  guard let count = (try? write(&buffer)) ?? nil else { return nil }
  return Array(storage.prefix(count))
}
