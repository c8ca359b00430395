internal import AudioProcessing
internal import MediaCore
internal import MediaCodecs
internal import RealtimeRuntime

/// One talker's way from packets to samples at 48 kHz, on the playout thread.
///
/// The jitter buffer is the one stage that waits for late packets, restores or conceals lost ones, and stretches sound so
/// that neither jitter nor the difference of both clocks is audible.
final class AudioReceiveStream {
  let talker: PlayoutSource
  private var buffer: JitterBuffer
  private var decoder: PlayoutOpusDecoder
  private let channels: Int
  private let block: UnsafeMutableBufferPointer<Int16>
  /// Nil while no other party is to hear the talker.
  private var recorder: PlayedSoundRecorder?

  init(_ talker: PlayoutSource, channels: Int) throws {
    self.talker = talker
    self.channels = channels
    buffer = JitterBuffer(JitterBufferSettings(channels: channels))
    decoder = try PlayoutOpusDecoder(channels: channels)
    block = .allocate(capacity: JitterBuffer.blockSamples * channels)
    block.initialize(repeating: 0)
  }

  deinit { block.deallocate() }

  /// Figures since the talker began; delays are those of now.
  var statistics: JitterBufferStatistics { buffer.statistics }

  /// Adds the next block to the mix.
  ///
  /// - Parameter delay: how much waits in the card.
  func mix(into mixer: inout SoundMixer, now: MonotonicInstant, delay: TimeSpan) {
    while talker.received.popFirst({ arrival, payload in
      buffer.insert(
        timestamp: arrival.timestamp, sequence: arrival.sequenceNumber, arrival: arrival.instant, payload: payload)
    }) {}
    var output = block.mutableSpan
    buffer.render(into: &output, now: now, decoder: &decoder)
    mixer.add(UnsafeBufferPointer(block))
    record(at: now + delay)
  }

  /// What comes next does not continue what came before: the card was opened, or ran dry.
  func interrupt() { recorder?.interrupt() }

  private func record(at instant: MonotonicInstant) {
    let sound = talker.sound
    if recorder?.sound !== sound {
      recorder = nil
      if let sound { recorder = try? PlayedSoundRecorder(sound, channels: channels) }
    }
    recorder?.record(UnsafeBufferPointer(block), at: instant)
  }

  /// Packets of a time without a card are old when it is back.
  func discardPackets() {
    while talker.received.popFirst({ _, _ in }) {}
  }
}

/// libopus as the jitter buffer asks for it: a failure is a packet of no samples, which is concealed.
private struct PlayoutOpusDecoder: JitterBufferDecoder, ~Copyable {
  private var decoder: OpusDecoder

  init(channels: Int) throws { decoder = try OpusDecoder(channels: channels == 2 ? .stereo : .mono) }

  mutating func decodePacket(_ packet: RawSpan, into output: inout MutableSpan<Int16>) -> Int {
    (try? decoder.decode(packet, into: &output)) ?? 0
  }

  mutating func decodeFEC(of packet: RawSpan, samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int {
    (try? decoder.recoverPrevious(of: packet, samplesPerChannel: samplesPerChannel, into: &output)) ?? 0
  }

  mutating func concealLoss(samplesPerChannel: Int, into output: inout MutableSpan<Int16>) -> Int {
    (try? decoder.conceal(samplesPerChannel: samplesPerChannel, into: &output)) ?? 0
  }
}
