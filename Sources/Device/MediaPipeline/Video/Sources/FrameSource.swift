internal import MediaCore
internal import RealtimeRuntime
internal import V4L2Capture

/// A source of frames. Opened, used and ended on one thread, which a driver may block indefinitely.
protocol FrameSource: AnyObject {
  /// What it delivers now; the size may change, see ``FrameOutcome/resized``.
  var description: VideoSourceDescription { get }

  /// Draws what is the same in every frame; called once for each buffer before it is used.
  func prepare(_ image: inout I420Buffer)

  /// Waits for the next frame and draws it into `target`, a buffer of the size described.
  ///
  /// - Parameters:
  ///   - target: nil when the frame is not wanted; it is consumed all the same.
  ///   - stop: becomes readable when the source shall end.
  func next(into target: FrameSlot?, until stop: EventDescriptor) throws(SourceFailure) -> FrameOutcome
}

extension FrameSource {
  func prepare(_ image: inout I420Buffer) {}
}

/// How a wait for a frame ended.
enum FrameOutcome: Hashable {
  /// One came, captured at this instant, and was drawn if it was wanted.
  case frame(MonotonicInstant)
  /// One came that cannot be shown.
  case damaged(FrameDamage)
  /// The description has changed, and buffers of its size are needed.
  case resized
  /// None came yet.
  case nothing
  /// No more will come, and that is as it should be.
  case end
}

/// What a source delivers.
struct VideoSourceDescription: Hashable, Sendable {
  /// What to configure the source by.
  var name: String
  /// For people.
  var text: String
  var width: Int
  var height: Int
  /// Frames a second, as announced.
  var frameRate: Double
  /// Shown only because no camera was found.
  var isStandIn = false
  /// How long it may deliver nothing.
  var limits = SourceLimits.device

  var interval: TimeSpan { TimeSpan(seconds: 1 / max(frameRate, 0.05)) }
}

/// How long a source may take.
struct SourceLimits: Hashable, Sendable {
  /// Until its first frame.
  var start: TimeSpan
  /// Until the next frame.
  var stall: TimeSpan
  /// Until it is closed.
  var close: TimeSpan
  /// What helps where nothing comes.
  var remedy: String?

  static let device = SourceLimits(start: .seconds(2), stall: .seconds(2), close: .seconds(1))
  /// A program that connects to a camera takes its time; when it is asked to end it has a second before it is killed.
  static func program(of media: String) -> SourceLimits {
    SourceLimits(
      start: .seconds(10), stall: .seconds(2), close: .seconds(3),
      remedy: "see what it prints in the journal, and have it write \(media) to standard output")
  }
}

/// A rate as people read it.
func hundredths(_ rate: Double) -> Double { (rate * 100).rounded() / 100 }

/// Why a source could not be opened or has ended.
struct SourceFailure: Error, Hashable {
  enum Kind: Hashable {
    case failed
    /// `auto` found none.
    case noCamera
    /// The bus does not carry this camera beside another one.
    case outOfBandwidth
  }

  var kind = Kind.failed
  /// Names the device or file, and what may help.
  var reason: String
}

/// Which source to open, and what frames it should deliver.
struct SourceRequest: Hashable, Sendable {
  var selection: VideoSourceSelection
  var width: Int
  var height: Int
  var frameRate: Int
  /// The only pixel format to take of a camera, by its V4L2 code.
  var pixelFormat: String?
  /// What is set at a camera before.
  var cameraSetup = CameraSetup()
  /// Whether `auto` may show test bars when there is no camera.
  var allowsStandIn = true
  /// `auto` tries this camera first.
  var preferred: String?
  /// `auto` tries this camera last.
  var avoided: String?
}

/// Opens a source; blocks.
typealias SourceOpening = @Sendable (SourceRequest) throws(SourceFailure) -> any FrameSource
