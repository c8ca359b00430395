public import AudioProcessing
public import MediaCore
internal import Synchronization

/// Counters since the pipeline was made, read at one moment.
public struct MediaPipelineStatistics: Sendable, Hashable {
  /// Frames that a source delivered, muted ones included.
  public var framesCaptured = 0
  /// Frames that the driver marked as damaged, or that could not be converted.
  public var framesDamaged = 0
  /// Frames that came while the encoder was busy with two others.
  public var framesDropped = 0
  /// Frames left out to lower the frame rate, because the bit rate is low.
  public var framesThinned = 0
  /// Frames that the encoder's rate control left out.
  public var framesSkipped = 0
  /// Including those that repeat the one before.
  public var framesEncoded = 0
  /// Frames in which nothing had changed: they cost neither encoding nor more than some bytes.
  public var framesRepeated = 0
  public var keyFrames = 0
  public var videoBytes: Int64 = 0
  /// What the bit rate would have allowed for frames of a still scene, less what they took; an estimate.
  public var videoBytesSaved: Int64 = 0
  /// Times that the camera failed and was closed.
  public var cameraFailures = 0
  public var packetsEncoded = 0
  public var audioBytes: Int64 = 0
  /// Times that sound was lost because it was not fetched in time.
  public var audioOverruns = 0
  /// Times that the microphone failed and was closed.
  public var microphoneFailures = 0
  public var video = VideoStatus()
  /// Nil while no echo is cancelled.
  public var echo: EchoControlStatistics?
}

/// What the video side does, as of the last second.
public struct VideoStatus: Sendable, Hashable {
  /// The name of the source that is shown; nil while there is none.
  public var source: String?
  /// The source's frame size, and the frames a second that it announces.
  public var width = 0
  public var height = 0
  public var frameRate = 0.0
  /// What is encoded: smaller than the source's frames when the bit rate is low.
  public var encodedWidth = 0
  public var encodedHeight = 0
  /// Frames a second, measured.
  public var capturedRate = 0.0
  public var encodedRate = 0.0
  /// The average time to encode a frame.
  public var encodeTime = TimeSpan.zero
  /// libvpx's `cpu-used`; lower is faster.
  public var speed = 0
  public var temporalLayers = 1
  /// The share of the last frame that was still, 0 to 1.
  public var stillShare = 0.0
  /// Threads that drivers hold.
  public var abandonedThreads = 0
}

/// The live counters; each has one writing thread.
final class PipelineCounters: Sendable {
  let framesCaptured = Atomic<Int>(0)
  let framesDamaged = Atomic<Int>(0)
  let framesDropped = Atomic<Int>(0)
  let framesThinned = Atomic<Int>(0)
  let framesSkipped = Atomic<Int>(0)
  let framesEncoded = Atomic<Int>(0)
  let framesRepeated = Atomic<Int>(0)
  let keyFrames = Atomic<Int>(0)
  let videoBytes = Atomic<Int64>(0)
  let videoBytesSaved = Atomic<Int64>(0)
  let cameraFailures = Atomic<Int>(0)
  let packetsEncoded = Atomic<Int>(0)
  let audioBytes = Atomic<Int64>(0)
  let audioOverruns = Atomic<Int>(0)
  let microphoneFailures = Atomic<Int>(0)

  var snapshot: MediaPipelineStatistics {
    MediaPipelineStatistics(
      framesCaptured: framesCaptured.load(ordering: .relaxed),
      framesDamaged: framesDamaged.load(ordering: .relaxed),
      framesDropped: framesDropped.load(ordering: .relaxed),
      framesThinned: framesThinned.load(ordering: .relaxed),
      framesSkipped: framesSkipped.load(ordering: .relaxed),
      framesEncoded: framesEncoded.load(ordering: .relaxed),
      framesRepeated: framesRepeated.load(ordering: .relaxed), keyFrames: keyFrames.load(ordering: .relaxed),
      videoBytes: videoBytes.load(ordering: .relaxed),
      videoBytesSaved: videoBytesSaved.load(ordering: .relaxed),
      cameraFailures: cameraFailures.load(ordering: .relaxed),
      packetsEncoded: packetsEncoded.load(ordering: .relaxed), audioBytes: audioBytes.load(ordering: .relaxed),
      audioOverruns: audioOverruns.load(ordering: .relaxed),
      microphoneFailures: microphoneFailures.load(ordering: .relaxed))
  }

  static func count(_ counter: borrowing Atomic<Int>, _ amount: Int = 1) {
    counter.add(amount, ordering: .relaxed)
  }

  /// Counts bytes, of which 32 bits hold those of a few hours.
  static func count(_ counter: borrowing Atomic<Int64>, bytes: Int) {
    counter.add(Int64(bytes), ordering: .relaxed)
  }
}
