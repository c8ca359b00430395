import DTLSSRTP
import MediaCore
import MediaPipeline
import MediaPlaneAPI
import NetworkLoop
import OpenSSLCrypto
import RealtimeRuntime
import Signalling
import Testing
import MediaCodecs

@testable import DeviceMedia

/// A device whose cameras show test pictures, in a real call over loopback whose other side keeps what it sees.
///
/// The main camera's pictures are 320 wide, those of `yard` 160, and both in one 240.
final class ViewedCall {
  /// A frame that has arrived.
  struct Frame {
    var payload: [UInt8]
    var isKeyFrame: Bool
    var timestamp: MonotonicInstant

    /// Of a key frame (RFC 6386 §9.1).
    var width: Int? { isKeyFrame && payload.count > 7 ? Int(payload[6]) | Int(payload[7] & 0x3F) << 8 : nil }
  }

  let media: DeviceMedia
  let yardBus: FrameBus
  private let device: NetworkLoop
  private let viewer: NetworkLoop
  private let inbox: FrameInbox
  private(set) var frames: [Frame] = []

  static let width = 320, yardWidth = 160, mosaicWidth = 240

  init() async throws {
    device = try Self.loop(furtherSources: 2)
    viewer = try Self.loop(furtherSources: 0)
    inbox = try FrameInbox()
    yardBus = FrameBus()
    let (bus, playout, taps) = (FrameBus(), FakePlayout(), [FrameTap(), FrameTap()])
    var parts = DeviceMediaDependencies(
      pipeline: Self.pipeline(Self.width, bus, taps[0]), bus: bus, network: device,
      archives: FakeDisk(), loadSound: { _ in throw NoSpeaker() }
    ) { _ in playout }
    let yard = Self.pipeline(Self.yardWidth, yardBus, taps[1])
    parts.cameras = [
      FurtherCamera(name: "yard", source: "test:bars", pipeline: yard, bus: yardBus, bitrate: .kilobits(300))
    ]
    let mosaicBus = FrameBus()
    let shown = zip(["device", "yard"], taps).map { MosaicCamera(name: $0, tap: $1) }
    let mosaic = MediaPipeline(mosaic: shown, configuration: Self.configuration(Self.mosaicWidth), bus: mosaicBus)
    parts.mosaic = Mosaic(pipeline: mosaic, bus: mosaicBus, bitrate: .kilobits(300))
    media = DeviceMedia(
      configuration: DeviceMediaConfiguration(pipeline: Self.configuration(Self.width), speaker: .none, preRoll: .zero),
      parts: parts)
    await media.start()
  }

  private static func pipeline(_ width: Int, _ bus: FrameBus, _ tap: FrameTap) -> MediaPipeline {
    var observers = MediaObservers()
    observers.tap = tap
    return MediaPipeline(configuration: configuration(width), bus: bus, observers: observers)
  }

  static func configuration(_ width: Int) -> MediaPipelineConfiguration {
    MediaPipelineConfiguration(
      cameras: [.testBars], microphone: .none, width: width, height: width * 3 / 4, frameRate: 15,
      videoBitrate: .kilobits(300))
  }

  private static func loop(furtherSources: Int) throws -> NetworkLoop {
    var configuration = NetworkLoopConfiguration(
      addresses: [TransportAddress(ipv4: 0x7F00_0001, port: 0)], cname: "test")
    configuration.furtherSources = furtherSources
    return try NetworkLoop(configuration: configuration) {
      (OpenSSLCrypto(), try DTLSEngine(identity: DTLSIdentity()), SRTPCrypto())
    }
  }

  func connect() async throws {
    let offer = try await viewer.offer(session: SessionHandle("call"), publish: [], subscribe: [.video])
    let answer = try await media.begin(
      PeerSessionRequest(sessionID: "call", offer: offer.sdp, publish: [.video], mayTalk: false))
    try await viewer.accept(answer: answer, session: SessionHandle("call"))
    viewer.addRecorder(inbox, session: SessionHandle("call"))
  }

  /// Takes what arrives until a condition holds; false when it does not within ten seconds.
  func watch(until condition: ([Frame]) -> Bool) async throws -> Bool {
    for _ in 0..<500 {
      while let frame = inbox.video.popFirst({ header, payload in
        Frame(
          payload: payload.withUnsafeBytes { Array($0) }, isKeyFrame: header.isKeyFrame, timestamp: header.timestamp)
      }) {
        frames.append(frame)
      }
      if condition(frames) { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  /// Waits for a key frame of this width, and some frames more.
  func sees(width: Int) async throws -> Bool {
    let count = frames.count
    return try await watch { frames in
      guard let first = frames[count...].firstIndex(where: { $0.width == width }) else { return false }
      return frames.count > first + 5
    }
  }

  /// A picture's luma.
  struct Picture {
    var width = 0
    var height = 0
    var luma: [UInt8] = []

    /// Between the darkest and the lightest sample of a part.
    func spread(x: Int, y: Int, width: Int, height: Int) -> Int {
      let samples = (y..<y + height).flatMap { luma[$0 * self.width + x..<$0 * self.width + x + width] }
      return Int(samples.max() ?? 0) - Int(samples.min() ?? 0)
    }
  }

  /// The last picture, decoded.
  func lastFrame() throws -> Picture? {
    guard let begin = frames.lastIndex(where: \.isKeyFrame) else { return nil }
    var decoder = try VP8Decoder()
    var picture = Picture()
    for frame in frames[begin...] {
      try decoder.decode(frame.payload.span.bytes) { view in
        var luma: [UInt8] = []
        for y in 0..<view.height {
          for x in 0..<view.width { luma.append(view.luma(x: x, y: y)) }
        }
        picture = Picture(width: view.width, height: view.height, luma: luma)
      }
    }
    return picture
  }

  func end() async {
    await media.shutDown()
    viewer.stop()
  }
}
