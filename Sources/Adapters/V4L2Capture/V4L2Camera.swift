internal import CV4L2
internal import Glibc
public import MediaCore

/// A camera that streams: opened, set up and started by `init`, stopped and closed when the value ends.
///
/// Allocates only when made. After any error end it and make a new one: buffers of a failed stream are never used
/// again. Use from one thread; calls may block as long as the driver does.
public struct V4L2Camera: ~Copyable {
  public let path: String
  /// The driver's name for the device.
  public let name: String
  /// What the driver delivers, which need not be what was asked for.
  public let format: PixelFormat
  public let width: Int
  public let height: Int
  public let frameRate: Double

  private let bytesPerLine: Int
  private let buffers: MappedBuffers
  private let node: V4L2Node

  /// Enough that one can be encoded, one be filled and two wait.
  private static let bufferCount: UInt32 = 4

  /// - Parameter path: a node such as `/dev/video0`, or a stable link below `/dev/v4l/by-id`.
  public init(path: String, request: CaptureRequest) throws(V4L2Error) {
    let node = try V4L2Node(path: path)
    let capability = try node.capability()
    let negotiated = try node.negotiate(request)
    let buffers = try MappedBuffers(Self.bufferCount, from: node)
    try Self.start(node, bufferCount: buffers.count)
    self.path = path
    name = text(capability.card)
    format = negotiated.format
    width = negotiated.width
    height = negotiated.height
    frameRate = negotiated.frameRate
    bytesPerLine = negotiated.bytesPerLine
    self.buffers = buffers
    self.node = node
  }

  deinit {
    var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
    _ = node.status(cv4l2_streamoff, &type)
  }

  private static func start(_ node: borrowing V4L2Node, bufferCount: Int) throws(V4L2Error) {
    for index in 0..<bufferCount {
      var buffer = emptyCaptureBuffer()
      buffer.index = UInt32(index)
      try node.run(cv4l2_qbuf, "VIDIOC_QBUF", &buffer)
    }
    var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
    try node.run(cv4l2_streamon, "VIDIOC_STREAMON", &type)
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
    return try dequeue(body) ? .frame : .timedOut
  }

  /// Returns false when no frame was there after all.
  private func dequeue(_ body: (CapturedFrame, RawSpan) -> Void) throws(V4L2Error) -> Bool {
    var buffer = emptyCaptureBuffer()
    let code = node.status(cv4l2_dqbuf, &buffer)
    guard code != EAGAIN else { return false }
    guard code == 0 else { throw node.failure("VIDIOC_DQBUF", code) }
    guard Int(buffer.index) < buffers.count else { throw node.failure("VIDIOC_DQBUF", EPROTO) }
    let memory = buffers[Int(buffer.index)]
    let used = buffer.bytesused > 0 ? min(Int(buffer.bytesused), memory.count) : memory.count
    body(describe(buffer), UnsafeRawBufferPointer(rebasing: memory[..<used]).bytes)
    try node.run(cv4l2_qbuf, "VIDIOC_QBUF", &buffer)
    return true
  }

  private func describe(_ buffer: v4l2_buffer) -> CapturedFrame {
    CapturedFrame(
      format: format, width: width, height: height, bytesPerLine: bytesPerLine, timestamp: timestamp(of: buffer),
      sequence: buffer.sequence, isDamaged: buffer.flags & cv4l2_buf_flag_error != 0)
  }

  /// The driver's own stamp if it is on the media timeline, else the time of fetching.
  private func timestamp(of buffer: v4l2_buffer) -> MonotonicInstant {
    if buffer.flags & cv4l2_buf_flag_timestamp_mask == cv4l2_buf_flag_timestamp_monotonic {
      let seconds = Int64(buffer.timestamp.tv_sec)
      return MonotonicInstant(nanoseconds: seconds * 1_000_000_000 + Int64(buffer.timestamp.tv_usec) * 1_000)
    }
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return MonotonicInstant(nanoseconds: Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec))
  }
}
