import MediaCore
import RealtimeRuntime
import Synchronization
import SystemSupport

/// Frames of the sizes that 800 kbit/s of VP8 at 30 fps and 32 kbit/s of Opus have. Their content is no media, but looks
/// like it as far as a network loop looks.
struct TestMedia {
  static let frameSpan = TimeSpan(nanoseconds: 33_333_333)
  static let packetSpan = TimeSpan.milliseconds(20)
  static let framesASecond = 30
  static let packetsASecond = 50

  private static let start: [UInt8] = [0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01]
  let key = start + [UInt8](repeating: 0x5A, count: 12_000)
  let picture = [0x11] + start.dropFirst() + [UInt8](repeating: 0xA5, count: 3_270)
  let packet = [31 << 3] + [UInt8](repeating: 0x3C, count: 79)

  func picture(_ number: UInt32, isKeyFrame: Bool, at instant: MonotonicInstant) -> (EncodedFrameHeader, [UInt8]) {
    let header = EncodedFrameHeader(
      kind: .video, timestamp: instant, duration: Self.frameSpan, isKeyFrame: isKeyFrame, number: number,
      width: 640, height: 480)
    return (header, isKeyFrame ? key : picture)
  }

  func packet(_ number: UInt32, at instant: MonotonicInstant) -> (EncodedFrameHeader, [UInt8]) {
    let header = EncodedFrameHeader(
      kind: .audio, timestamp: instant, duration: Self.packetSpan, isKeyFrame: true, number: number)
    return (header, packet)
  }
}

/// A thread that pushes test media into an inbox in real time, as encoders do.
final class MediaFeeder: Sendable {
  /// A key frame every 4 s, as while a recording runs.
  private static let group: UInt32 = 120

  private struct State {
    var isKeyFrameWanted = true
    var isRunning = true
    /// When each picture was pushed; at most a minute of them waits to be taken.
    var pushes: [MonotonicInstant] = []
    var count = 0
  }

  private let state = Mutex(State())
  private let inbox: FrameInbox

  init(_ inbox: FrameInbox) throws {
    self.inbox = inbox
    try MediaThread(name: "feeder") { [self] in run() }.detach()
  }

  func requestKeyFrame() { state.withLock { $0.isKeyFrameWanted = true } }
  func stop() { state.withLock { $0.isRunning = false } }

  /// Pictures and packets of sound that were pushed so far.
  var count: Int { state.withLock { $0.count } }

  /// Takes the times at which pictures were pushed since the last call.
  func takePushes() -> [MonotonicInstant] {
    state.withLock { state in
      defer { state.pushes.removeAll() }
      return state.pushes
    }
  }

  private func run() {
    let media = TestMedia()
    let start = MonotonicClock.now()
    var pictures: UInt32 = 0
    var packets: UInt32 = 0
    while state.withLock({ $0.isRunning }) {
      let nextFrame = start + TestMedia.frameSpan * Int64(pictures)
      let nextPacket = start + TestMedia.packetSpan * Int64(packets)
      MonotonicClock.sleep(until: min(nextFrame, nextPacket))
      if nextPacket < nextFrame {
        let (header, payload) = media.packet(packets, at: nextPacket)
        inbox.push(header, payload: payload.span.bytes)
        packets += 1
      } else {
        push(picture: pictures, of: media, at: nextFrame)
        pictures += 1
      }
      state.withLock { $0.count += 1 }
    }
  }

  private func push(picture number: UInt32, of media: TestMedia, at instant: MonotonicInstant) {
    let isKeyFrame = takeKeyFrameRequest() || number % Self.group == 0
    let (header, payload) = media.picture(number, isKeyFrame: isKeyFrame, at: instant)
    let now = MonotonicClock.now()
    inbox.push(header, payload: payload.span.bytes)
    state.withLock { if $0.pushes.count < 60 * TestMedia.framesASecond { $0.pushes.append(now) } }
  }

  private func takeKeyFrameRequest() -> Bool {
    state.withLock { state in
      defer { state.isKeyFrameWanted = false }
      return state.isKeyFrameWanted
    }
  }
}
