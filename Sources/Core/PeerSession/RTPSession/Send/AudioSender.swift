import CongestionControl
import MediaCore
import RTP

/// Sends one Opus stream.
struct AudioSender {
  private var packetizer: OpusPacketizer
  private var extensions: OutgoingExtensions
  /// The header extension for a packet's audio level.
  private let levelID: UInt8?
  private var loss = ReportedLoss()
  private let clock: RTPClock
  private var offered = OfferedRate()
  private(set) var statistics: SendStatistics
  private var nextFrameNumber: UInt32?

  var ssrc: SSRC { packetizer.ssrc }

  init(packetizer: OpusPacketizer, extensions: OutgoingExtensions, levelID: UInt8?, clock: RTPClock) {
    self.packetizer = packetizer
    self.extensions = extensions
    self.levelID = levelID
    self.clock = clock
    statistics = SendStatistics(ssrc: packetizer.ssrc, clockRate: Int(clock.rate))
  }

  /// Switches to newly negotiated header extensions.
  mutating func resume(extensions: RTPHeaderExtensionBlock) { self.extensions.block = extensions }

  mutating func send(_ frame: EncodedFrameHeader, payload: RawSpan, now: MonotonicInstant, through output: PacketOutput)
  {
    // What discontinuous transmission left empty; the timestamp of the next packet says how long it lasted.
    guard !frame.isDiscardable else { return }
    // A gap in the numbers is silence that was not sent, or a loss: a talkspurt starts (RFC 7587 §4.2).
    let startsTalkspurt = nextFrameNumber != frame.number
    nextFrameNumber = frame.number &+ 1
    let timestamp = clock.timestamp(at: frame.timestamp)
    if let levelID {
      let level = AudioLevel(attenuation: frame.soundLevel ?? SoundLevel.silence)
      extensions.block.set(levelID, to: UInt32(level.octet), byteCount: 1)
    }
    extensions.stamp(for: output, now: now)
    let length = output.sendRTP(isNumbered: extensions.isNumbering, now: now) {
      (buffer) throws(InsufficientSpace) in
      try packetizer.packet(
        payload, timestamp: timestamp, isTalkspurtStart: startsTalkspurt, extensions: extensions.block, into: &buffer)
    }
    guard let length else { return }
    offered.add(length, now: now)
    statistics.send(timestamp: timestamp, captured: frame.timestamp, payloadByteCount: payload.byteCount)
  }

  /// The rate over the last second, headers included.
  mutating func rate(now: MonotonicInstant) -> Bitrate { Bitrate(offered.rate(now: now)) }

  mutating func makeSenderInfo(now: MonotonicInstant) -> SenderInfo? {
    statistics.makeSenderInfo(ntp: RTPClock.ntp(at: now), now: now)
  }

  /// Takes a report on the stream; returns the round trip that it shows, if any.
  mutating func receive(_ block: ReportBlock, now: MonotonicInstant) -> TimeSpan? {
    if block.ssrc == ssrc { loss.add(block.fractionLost) }
    return statistics.receive(block, now: now)
  }

  /// The loss of sound in percent, when it has changed since the last call.
  mutating func takeLossChange() -> Int? { loss.takeChange() }
}

/// Smooths the loss in receiver reports.
struct ReportedLoss {
  private var smoothed = 0.0
  private var reported = 0

  /// Takes the fraction lost, in 256ths, between two reports.
  mutating func add(_ fraction: UInt8) { smoothed = 0.7 * smoothed + 0.3 * Double(fraction) / 2.56 }

  /// Whole percent, when they differ from the last ones reported.
  mutating func takeChange() -> Int? {
    let percent = Int(saturating: smoothed.rounded())
    guard percent != reported else { return nil }
    reported = percent
    return percent
  }
}
