import AudioProcessing
import MediaCore
import MediaCodecs
import RealtimeRuntime

/// What a microphone hears: speech near it, and the echo of what is played.
struct Room {
  private let speech: [Int16]
  private let delay: Int
  private let gain: Int
  private var played: [Int16]
  private var position = 0

  init(speech: [Int16], delay: Int, gain: Int) {
    self.speech = speech
    self.delay = delay
    self.gain = gain
    played = [Int16](repeating: 0, count: delay + 2 * SoundJob.packet)
  }

  /// Plays a block and captures one of the same time.
  mutating func play(_ far: [Int16], capture near: inout [Int16]) {
    for index in far.indices {
      played[(position + index) % played.count] = far[index]
      let echo = Int(played[(position + index + played.count - delay) % played.count]) * gain / 1_000
      near[index] = Int16(clamping: Int(speech[(position + index) % speech.count]) + echo)
    }
    position += far.count
  }
}

/// Decodes, cancels the echo and encodes, 20 ms at a time.
enum SoundJob {
  static let packet = OpusEncoder.samplesPerPacket

  /// Takes the CPU time of each library.
  static func run(_ room: Room, _ far: [[UInt8]], from begin: MonotonicInstant, seconds: Int) throws
    -> [String: Double]
  {
    var room = room
    var encoder = try OpusEncoder(OpusEncoderSettings())
    var decoder = try OpusDecoder(channels: .mono)
    var controller = EchoController()
    var (played, captured, cleaned) = (silence(packet), silence(packet), silence(packet))
    var (encoding, decoding, cancelling) = (Stopwatch(), Stopwatch(), Stopwatch())
    for index in 0..<seconds * 50 {
      MonotonicClock.sleep(until: begin + .milliseconds(20) * Int64(index))
      decoding.start()
      try decode(far[index % far.count], with: &decoder, into: &played)
      decoding.stop()
      room.play(played, capture: &captured)
      cancelling.start()
      cancel(captured, played, with: &controller, into: &cleaned)
      cancelling.stop()
      encoding.start()
      try encoder.encode(cleaned.span) { _ in }
      encoding.stop()
    }
    return ["encoding": encoding.seconds, "decoding": decoding.seconds, "cancelling": cancelling.seconds]
  }

  private static func silence(_ count: Int) -> [Int16] { [Int16](repeating: 0, count: count) }

  private static func decode(
    _ packet: [UInt8], with decoder: inout OpusDecoder, into samples: inout [Int16]
  ) throws(OpusError) {
    var output = samples.mutableSpan
    _ = try decoder.decode(packet.span.bytes, into: &output)
  }

  private static func cancel(
    _ captured: [Int16], _ played: [Int16], with controller: inout EchoController, into cleaned: inout [Int16]
  ) {
    var block = silence(EchoController.blockFrames)
    for start in stride(from: 0, to: packet, by: block.count) {
      let range = start..<start + block.count
      var output = block.mutableSpan
      controller.process(
        captured: captured.span.extracting(range), played: played.span.extracting(range), delay: .zero, into: &output)
      cleaned.replaceSubrange(range, with: block)
    }
  }
}
