internal import CLinux
internal import Glibc
public import MediaCore

/// A camera that streams: opened, set up and started by `init`, stopped and closed when the value ends.
///
/// Takes every format that ``PixelFormat`` names unchanged, with planes in one piece of memory or in several, and any
/// other that libv4lconvert knows as YU12 or RGB24. Allocates only when made and, of those other formats, at the first
/// frame. After any error end it and make a new one: buffers of a failed stream are never used again. Use from one
/// thread; calls may block as long as the driver does.
public struct V4L2Camera: ~Copyable {
  /// The path as given.
  public let path: String
  /// The driver's name for the device.
  public let name: String
  /// The format of lent frames, which may differ from the requested one.
  public let format: PixelFormat
  /// The V4L2 code of what the device delivers, for example `YUYV`; frames are converted where `format` differs.
  public let sourceFormat: String
  public let width: Int
  public let height: Int
  /// What the driver says it does now.
  public let frameRate: Double
  /// Odd and even rows are of two moments.
  public let isInterlaced: Bool

  private let layout: FrameLayout
  private let assembly: FrameAssembly
  private let queue: CaptureQueue
  private let node: V4L2Node

  /// Enough that one can be encoded, one be filled and two wait.
  private static let bufferCount: UInt32 = 4

  /// - Parameter path: a node such as `/dev/video0`, or a stable link below `/dev/v4l/by-id` or `by-path`.
  public init(path: String, request: CaptureRequest) throws(V4L2Error) {
    let node = try V4L2Node(path: path)
    try node.apply(request.setup)
    let negotiated = try node.negotiate(request)
    guard let assembly = FrameAssembly(negotiated) else {
      throw V4L2Error(.noUsableFormat(offered: [negotiated.code.description]), path: path)
    }
    guard Int(clamping: negotiated.layout.planes) == assembly.planes else {
      throw node.failure("VIDIOC_S_FMT", EPROTO)
    }
    let queue = try CaptureQueue(Self.bufferCount, planesPerBuffer: assembly.planes, of: node)
    try queue.start(node)
    self.path = path
    name = node.card
    format = assembly.format
    sourceFormat = negotiated.code.description
    width = negotiated.width
    height = negotiated.height
    frameRate = negotiated.frameRate
    isInterlaced = negotiated.fields == .interlaced
    layout = FrameLayout(negotiated)
    self.assembly = assembly
    self.queue = queue
    self.node = node
  }

  deinit {
    var type = Int32(bitPattern: node.queueType)
    _ = node.status(cv4l2_streamoff, &type)
  }

  /// Waits for the next frame and lends it to `body`; the bytes are valid only during the call, and its buffer goes
  /// back to the driver afterwards.
  ///
  /// - Parameters:
  ///   - timeout: how long to wait at most.
  ///   - interruption: a descriptor whose becoming readable ends the wait.
  public mutating func nextFrame(
    timeout: TimeSpan, interruption: Int32, _ body: (CapturedFrame, RawSpan) -> Void
  ) throws(V4L2Error) -> CaptureOutcome {
    var entries = (
      pollfd(fd: node.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption, events: Int16(POLLIN), revents: 0)
    )
    let milliseconds = Int32(clamping: timeout.milliseconds)
    let count = withUnsafeMutableBytes(of: &entries) {
      poll($0.bindMemory(to: pollfd.self).baseAddress, 2, milliseconds)
    }
    if count < 0, errno != EINTR { throw node.failure("poll", errno) }
    guard count > 0 else { return .timedOut }
    if entries.1.revents != 0 { return .interrupted }
    if try dequeue(body) { return .frame }
    // A stream that failed is always ready; waiting for it again would never rest.
    guard entries.0.revents & Int16(POLLERR) == 0 else { throw node.failure("poll", EIO) }
    return .timedOut
  }

  /// Returns false when no frame was there after all.
  private func dequeue(_ body: (CapturedFrame, RawSpan) -> Void) throws(V4L2Error) -> Bool {
    var buffer = cv4l2_buffer()
    let code = cv4l2_run_buffer(node.descriptor, cv4l2_dqbuf, node.queueType, &buffer)
    guard code != EAGAIN else { return false }
    guard code == 0 else { throw node.failure("VIDIOC_DQBUF", code) }
    guard Int(clamping: buffer.index) < queue.count else { throw node.failure("VIDIOC_DQBUF", EPROTO) }
    let isMarked = buffer.flags & cv4l2_buf_flag_error != 0
    let bytes =
      isMarked
      ? UnsafeRawBufferPointer(start: nil, count: 0)
      : assembly.frame(buffer, in: queue, bytesPerLine: layout.sourceBytesPerLine)
    body(describe(buffer, isDamaged: bytes.isEmpty), bytes.bytes)
    try queue.enqueue(Int(clamping: buffer.index), to: node)
    return true
  }

  private func describe(_ buffer: cv4l2_buffer, isDamaged: Bool) -> CapturedFrame {
    CapturedFrame(
      format: format, width: width, height: height, bytesPerLine: layout.bytesPerLine,
      isFullRange: layout.isFullRange, timestamp: timestamp(of: buffer), sequence: buffer.sequence,
      isDamaged: isDamaged)
  }

  /// The driver's own stamp if it is on the media timeline, else the time of fetching.
  private func timestamp(of buffer: cv4l2_buffer) -> MonotonicInstant {
    if buffer.flags & cv4l2_buf_flag_timestamp_mask == cv4l2_buf_flag_timestamp_monotonic {
      let microseconds = TimeSpan.microseconds(Int64(buffer.timestamp.tv_usec))
      return MonotonicInstant(seconds: Int64(buffer.timestamp.tv_sec), nanoseconds: microseconds.nanoseconds)
    }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return MonotonicInstant(seconds: Int64(now.tv_sec), nanoseconds: Int64(now.tv_nsec))
  }
}

/// How the bytes of a stream's frames are to be read.
private struct FrameLayout {
  /// The row length of the device's frames.
  let sourceBytesPerLine: Int
  /// The row length of the lent frames.
  let bytesPerLine: Int
  let isFullRange: Bool

  init(_ negotiated: NegotiatedFormat) {
    sourceBytesPerLine = Int(clamping: negotiated.layout.bytes_per_line.0)
    switch negotiated.delivery {
    case .direct(.mjpeg):
      bytesPerLine = 0
      isFullRange = true
    case .direct(let format), .gathered(let format):
      // A driver that leaves the length out has rows without gaps.
      bytesPerLine = max(sourceBytesPerLine, format.shortestRow(width: negotiated.width))
      isFullRange = negotiated.isFullRange
    case .converted(let format):
      bytesPerLine = format.target.shortestRow(width: negotiated.width)
      // The library converts RGB to the narrow range; it leaves YUV and grey samples unchanged.
      switch format.kind {
      case .yuv: isFullRange = negotiated.isFullRange
      case .grey: isFullRange = !negotiated.isNarrowRange
      case .rgb, .packed, .mosaic: isFullRange = false
      }
    }
  }
}
