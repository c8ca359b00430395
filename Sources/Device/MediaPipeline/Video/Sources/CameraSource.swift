internal import Glibc
internal import MediaCore
internal import PixelConversion
internal import RealtimeRuntime
internal import V4L2Capture

/// Frames of a V4L2 camera.
final class CameraSource: FrameSource {
  private(set) var description: VideoSourceDescription
  private var camera: V4L2Camera
  /// The camera itself is being changed while it lends a frame.
  private let isInterlaced: Bool
  /// Nil where the camera's frames are not compressed.
  private var jpeg: JPEGFrames?

  /// A wait is cut into pieces of this length.
  private static let slice = TimeSpan.milliseconds(500)
  /// A stamp that is older is not believed.
  private static let oldest = TimeSpan.seconds(1)

  init(path: String, _ request: SourceRequest) throws(SourceFailure) {
    do throws(V4L2Error) {
      camera = try V4L2Camera(
        path: path,
        request: CaptureRequest(
          width: request.width, height: request.height, frameRate: request.frameRate, format: request.pixelFormat,
          setup: request.cameraSetup))
    } catch {
      throw SourceFailure(error)
    }
    isInterlaced = camera.isInterlaced
    jpeg = camera.format == .mjpeg ? JPEGFrames(width: camera.width, height: camera.height) : nil
    if camera.format == .mjpeg, jpeg == nil { throw SourceFailure(reason: "\(path): libjpeg does not start") }
    description = VideoSourceDescription(
      name: path,
      text: "\(camera.name), \(camera.sourceFormat) \(camera.width)×\(camera.height)"
        + " at \(hundredths(camera.frameRate))/s\(camera.isInterlaced ? ", interlaced" : "")",
      width: camera.width, height: camera.height, frameRate: camera.frameRate)
  }

  func next(into target: FrameSlot?, until stop: EventDescriptor) throws(SourceFailure) -> FrameOutcome {
    var outcome = FrameOutcome.nothing
    do throws(V4L2Error) {
      _ = try camera.nextFrame(timeout: Self.slice, interruption: stop.fileDescriptor) { frame, bytes in
        outcome = take(bytes, frame, into: target)
      }
    } catch {
      throw SourceFailure(error)
    }
    if outcome == .resized { describeSize() }
    return outcome
  }

  private func take(_ bytes: RawSpan, _ frame: CapturedFrame, into target: FrameSlot?) -> FrameOutcome {
    guard !frame.isDamaged else { return .damaged(.broken) }
    let captured = FrameOutcome.frame(Self.believable(frame.timestamp, now: MonotonicClock.now()))
    guard let target else { return captured }
    switch draw(bytes, frame, into: &target.image) {
    case .drawn:
      if isInterlaced { target.image.blendFields() }
      return captured
    case .damaged(let damage): return .damaged(damage)
    case .resized: return .resized
    }
  }

  private func draw(_ bytes: RawSpan, _ frame: CapturedFrame, into image: inout I420Buffer) -> JPEGFrames.Outcome {
    if let outcome = jpeg?.draw(bytes, into: &image) { return outcome }
    do throws(PixelConversionError) {
      try PixelConverter.convert(
        bytes, format: frame.format, bytesPerLine: frame.bytesPerLine, isFullRange: frame.isFullRange, into: &image)
      return .drawn
    } catch {
      return .damaged(.broken)
    }
  }

  private func describeSize() {
    guard let width = jpeg?.width, let height = jpeg?.height else { return }
    (description.width, description.height) = (width, height)
    description.text =
      "\(camera.name), \(camera.sourceFormat) \(camera.width)×\(camera.height) at \(hundredths(camera.frameRate))/s,"
      + " whose frames are \(width)×\(height)"
  }

  /// The driver's stamp, unless it lies in the future or far back.
  static func believable(_ timestamp: MonotonicInstant, now: MonotonicInstant) -> MonotonicInstant {
    timestamp <= now && now - timestamp < oldest ? timestamp : now
  }
}

extension SourceFailure {
  fileprivate init(_ error: V4L2Error) {
    self.init(kind: error.isOutOfBandwidth ? .outOfBandwidth : .failed, reason: error.description)
  }
}

extension V4L2Error {
  /// ENOSPC: the USB bus has given its bandwidth to others.
  fileprivate var isOutOfBandwidth: Bool {
    guard case .system(_, let code) = cause else { return false }
    return code == ENOSPC
  }
}
