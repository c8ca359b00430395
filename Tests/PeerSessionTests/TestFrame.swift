import Foundation
import MediaCore
import PeerSession

/// Frames whose octets follow from their number, so that every receiver can tell whether one is intact.
enum TestFrame {
  static let keyFrameSize = 12_000
  private static let largestSize = 100_000
  private static let pattern = (0..<largestSize + 256).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

  /// An octet sequence that begins as a VP8 frame does (RFC 6386 §9.1).
  static func video(_ number: UInt32, isKeyFrame: Bool) -> [UInt8] {
    video(number, isKeyFrame: isKeyFrame, byteCount: isKeyFrame ? keyFrameSize : 1_500 + Int(number &* 977 % 3_000))
  }

  /// As above, of any size from 20 octets on; the size is among the octets.
  static func video(_ number: UInt32, isKeyFrame: Bool, byteCount: Int) -> [UInt8] {
    var octets = Array(pattern[Int(number % 256)..<Int(number % 256) + byteCount])
    octets.replaceSubrange(0..<10, with: [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01])
    if !isKeyFrame { octets[0] = 0x11 }
    replaceNumber(number, in: &octets, at: 10)
    replaceNumber(UInt32(byteCount), in: &octets, at: 14)
    return octets
  }

  /// An Opus packet of 20 ms by its first octet (RFC 6716 §3.1).
  static func audio(_ number: UInt32) -> [UInt8] {
    var octets = Array(pattern[Int(number % 256)..<Int(number % 256) + 80 + Int(number % 40)])
    octets[0] = 31 << 3
    replaceNumber(number, in: &octets, at: 1)
    return octets
  }

  private static func replaceNumber(_ number: UInt32, in octets: inout [UInt8], at offset: Int) {
    for index in 0..<4 { octets[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index)) }
  }

  private static func readNumber(_ octets: [UInt8], at offset: Int) -> UInt32 {
    (0..<4).reduce(UInt32(0)) { $0 | UInt32(octets[offset + $1]) << UInt32(8 * $1) }
  }

  /// The number that a frame carries, or nil when an octet of it is wrong.
  static func number(of octets: [UInt8], kind: MediaKind) -> UInt32? {
    let offset = kind == .video ? 10 : 1
    guard octets.count >= offset + 4 else { return nil }
    let number = readNumber(octets, at: offset)
    let original =
      kind == .audio ? audio(number) : video(number, isKeyFrame: octets[0] & 1 == 0, byteCount: octets.count)
    return octets.count == original.count && memcmp(octets, original, octets.count) == 0 ? number : nil
  }
}

/// A frame that arrived.
struct ArrivedFrame {
  /// Nil for a damaged frame.
  var number: UInt32?
  var isKeyFrame: Bool
  /// As the receiver counts.
  var localNumber: UInt32
  var timestamp: MonotonicInstant
  var arrival: MonotonicInstant
}

/// What one direction of a call has brought.
struct ArrivedFrames {
  var audio: [ArrivedFrame] = []
  var video: [ArrivedFrame] = []

  subscript(kind: MediaKind) -> [ArrivedFrame] {
    get { kind == .audio ? audio : video }
    set { if kind == .audio { audio = newValue } else { video = newValue } }
  }

  /// The longest time between two frames from the first on.
  func longestFreeze(_ kind: MediaKind) -> TimeSpan {
    zip(self[kind], self[kind].dropFirst()).map { $1.arrival - $0.arrival }.max() ?? .zero
  }

  func isIntactAndInOrder(_ kind: MediaKind) -> Bool {
    let numbers = self[kind].compactMap(\.number)
    return numbers.count == self[kind].count && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Whether each picture is a key frame or follows its predecessor.
  var isDecodable: Bool {
    zip(video, video.dropFirst()).allSatisfy { $1.isKeyFrame || $0.number.map { $0 + 1 } == $1.number }
  }
}

/// Keeps what a session receives.
final class FrameCollector: ReceivedFrameSink {
  var now = MonotonicInstant(nanoseconds: 0)
  var frames = ArrivedFrames()
  var isDiscarding = false
  private(set) var discardedCount = 0

  func receive(_ header: EncodedFrameHeader, payload: RawSpan) {
    guard !isDiscarding else {
      discardedCount += 1
      return
    }
    frames[header.kind].append(
      ArrivedFrame(
        number: TestFrame.number(of: payload.copiedToArray(), kind: header.kind), isKeyFrame: header.isKeyFrame,
        localNumber: header.number, timestamp: header.timestamp, arrival: now))
  }
}

extension PeerSession {
  /// Sends a frame as the owner of a single session does.
  func send(
    _ header: EncodedFrameHeader, payload: [UInt8], from payloads: inout FramePayloadPool, now: MonotonicInstant
  ) {
    switch header.kind {
    case .audio: send(audio: header, payload: payload.span.bytes, now: now)
    case .video: send(video: header, payload: payloads.copy(payload.span.bytes), now: now)
    }
  }
}
