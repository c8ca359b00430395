internal import AudioProcessing
internal import MediaCore

/// Takes the loudspeaker's echo out of what the microphone captures, while the loudspeaker plays; otherwise sound passes as
/// it is. What comes out lags by ``EchoController/latency`` either way. Owned by the audio thread.
struct EchoStage: ~Copyable {
  private let played: PlayedSound
  private let channels: Int
  private var controller: EchoController
  /// How much of what comes out is the canceller's, 0 or 1 but within a block.
  private var isCancelling = false
  private let near: UnsafeMutableBufferPointer<Int16>
  private let far: UnsafeMutableBufferPointer<Int16>
  private let cleaned: UnsafeMutableBufferPointer<Int16>
  /// The block before, as captured.
  private let delayed: UnsafeMutableBufferPointer<Int16>
  private let packet: UnsafeMutableBufferPointer<Int16>

  private static let block = EchoController.blockFrames
  /// Echo dies away within this time after the loudspeaker was closed.
  private static let decay = TimeSpan.seconds(1)

  init(_ played: PlayedSound, channels: Int, settings: EchoControlSettings) {
    self.played = played
    self.channels = channels
    controller = EchoController(settings)
    func make(_ count: Int) -> UnsafeMutableBufferPointer<Int16> {
      let buffer = UnsafeMutableBufferPointer<Int16>.allocate(capacity: count)
      buffer.initialize(repeating: 0)
      return buffer
    }
    (near, far, cleaned) = (make(Self.block), make(Self.block), make(Self.block))
    delayed = make(Self.block * channels)
    packet = make(AudioTimeline.packetFrames * channels)
  }

  deinit {
    for buffer in [near, far, cleaned, delayed, packet] { buffer.deallocate() }
  }

  /// What the canceller measures; nil while it does not run.
  var statistics: EchoControlStatistics? { isCancelling ? controller.statistics : nil }

  /// Cleans a packet of 20 ms, whose first sample was captured at `start`, and hands over what comes out, with its time.
  ///
  /// - Parameter isCaptured: false for silence in place of a microphone, which teaches the canceller nothing about the room.
  mutating func process<Failure: Error>(
    _ captured: Span<Int16>, at start: MonotonicInstant, isCaptured: Bool = true,
    _ publish: (Span<Int16>, MonotonicInstant) throws(Failure) -> Void
  ) throws(Failure) {
    for index in 0..<(captured.count / (Self.block * channels)) {
      let range = index * Self.block * channels..<(index + 1) * Self.block * channels
      let time = start + EchoController.latency * Int64(index)
      let wasCancelling = isCancelling
      isCancelling = isCaptured && time < played.end + Self.decay
      process(
        captured.extracting(range), at: time, wasCancelling,
        into: UnsafeMutableBufferPointer(rebasing: packet[range]))
    }
    try publish(UnsafeBufferPointer(packet).span, start - EchoController.latency)
  }

  private mutating func process(
    _ captured: Span<Int16>, at start: MonotonicInstant, _ wasCancelling: Bool,
    into output: UnsafeMutableBufferPointer<Int16>
  ) {
    if isCancelling || wasCancelling { cancel(captured, at: start) }
    fade(from: wasCancelling, to: isCancelling, into: output)
    for index in captured.indices { delayed[index] = captured[index] }
  }

  private mutating func cancel(_ captured: Span<Int16>, at start: MonotonicInstant) {
    for frame in near.indices {
      var sum = 0
      for channel in 0..<channels { sum += Int(captured[frame * channels + channel]) }
      near[frame] = Int16(clamping: sum / channels)
    }
    played.read(into: far, from: start)
    var output = cleaned.mutableSpan
    controller.process(
      captured: UnsafeBufferPointer(near).span, played: UnsafeBufferPointer(far).span, delay: .zero, into: &output)
  }

  /// Writes what was captured, what was cleaned, or from one to the other.
  private func fade(from wasCancelling: Bool, to isCancelling: Bool, into output: UnsafeMutableBufferPointer<Int16>) {
    let (first, last) = (wasCancelling ? 1 : 0, isCancelling ? 1 : 0)
    for frame in 0..<Self.block {
      // Of 480 parts.
      let weight = first * (Self.block - frame) + last * frame
      for channel in 0..<channels {
        let index = frame * channels + channel
        let mixed = Int(cleaned[frame]) * weight + Int(delayed[index]) * (Self.block - weight)
        output[index] = Int16(clamping: mixed / Self.block)
      }
    }
  }
}
