import MediaCore
import RTP

/// Sends one Opus stream.
struct AudioSender {
  private var packetizer: OpusPacketizer
  private let extensions: RTPHeaderExtensionBlock
  private let clock: RTPClock
  private(set) var statistics: SendStatistics
  private var nextFrameNumber: UInt32?

  var ssrc: SSRC { packetizer.ssrc }

  init(packetizer: OpusPacketizer, extensions: RTPHeaderExtensionBlock, clock: RTPClock) {
    self.packetizer = packetizer
    self.extensions = extensions
    self.clock = clock
    statistics = SendStatistics(ssrc: packetizer.ssrc, clockRate: Int(clock.rate))
  }

  mutating func send(_ frame: EncodedFrameHeader, payload: RawSpan, through output: PacketOutput) {
    // What discontinuous transmission left empty; the timestamp of the next packet says how long it lasted.
    guard !frame.isDiscardable else { return }
    // A gap in the numbers is silence that was not sent, or a loss: a talkspurt starts (RFC 7587 §4.2).
    let startsTalkspurt = nextFrameNumber != frame.number
    nextFrameNumber = frame.number &+ 1
    let timestamp = clock.timestamp(at: frame.timestamp)
    let length = output.sendRTP { (buffer) throws(InsufficientSpace) in
      try packetizer.packet(
        payload, timestamp: timestamp, isTalkspurtStart: startsTalkspurt, extensions: extensions, into: &buffer)
    }
    guard length != nil else { return }
    statistics.send(timestamp: timestamp, captured: frame.timestamp, payloadByteCount: payload.byteCount)
  }

  mutating func makeSenderInfo(now: MonotonicInstant) -> SenderInfo? {
    statistics.makeSenderInfo(ntp: RTPClock.ntp(at: now), now: now)
  }

  /// Takes a report on the stream; returns the round trip that it shows, if any.
  mutating func receive(_ block: ReportBlock, now: MonotonicInstant) -> TimeSpan? {
    statistics.receive(block, now: now)
  }
}
