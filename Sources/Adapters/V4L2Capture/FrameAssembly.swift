internal import CLinux
internal import MediaCore

/// Assembles what the driver filled into one contiguous frame. Allocates only when made.
enum FrameAssembly: ~Copyable {
  case direct(PixelFormat)
  case gathered(PlaneGathering)
  case converted(FrameConverter)

  /// - Returns: nil when libv4lconvert cannot take this size.
  init?(_ negotiated: NegotiatedFormat) {
    let layout = negotiated.layout
    switch negotiated.delivery {
    case .direct(let format): self = .direct(format)
    case .gathered(let format): self = .gathered(PlaneGathering(format, layout))
    case .converted(let format):
      guard
        let converter = FrameConverter(
          format, width: negotiated.width, height: negotiated.height, largestFrame: Int(clamping: layout.size.0))
      else { return nil }
      self = .converted(converter)
    }
  }

  /// The format of the frames.
  var format: PixelFormat {
    switch self {
    case .direct(let format): format
    case .gathered(let gathering): gathering.format
    case .converted(let converter): converter.format.target
    }
  }

  /// Planes of memory of each buffer.
  var planes: Int {
    switch self {
    case .gathered(let gathering): gathering.planes
    case .direct: 1
    case .converted: 1
    }
  }

  /// The frame in a dequeued buffer, empty when the frame is damaged; valid until the next call and until the buffer
  /// is given back.
  func frame(
    _ buffer: cv4l2_buffer, in queue: borrowing CaptureQueue, bytesPerLine: Int
  ) -> UnsafeRawBufferPointer {
    switch self {
    case .direct: return queue.filled(buffer, plane: 0)
    case .gathered(let gathering): return gathering.gather(buffer, in: queue)
    case .converted(let converter):
      let isWhole = converter.convert(queue.filled(buffer, plane: 0), bytesPerLine: bytesPerLine)
      return isWhole ? converter.converted : UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }
}

/// Copies planes from separate memory one behind the other.
struct PlaneGathering: ~Copyable {
  let format: PixelFormat
  private let sources: [PlaneRows]
  private let targets: [PlaneRows]
  private let memory: UnsafeMutableRawBufferPointer

  init(_ format: PixelFormat, _ layout: cv4l2_layout) {
    self.format = format
    let bytesPerLine = max(
      Int(clamping: layout.bytes_per_line.0), format.shortestRow(width: FrameLimits.clamped(layout.width)))
    targets = format.planes(bytesPerLine: bytesPerLine, height: FrameLimits.clamped(layout.height))
    sources = targets.enumerated().map { index, rows in
      let bytes = Int(clamping: element(layout.bytes_per_line, index))
      return PlaneRows(bytes: bytes > 0 ? bytes : rows.bytes, count: rows.count)
    }
    memory = .allocate(byteCount: targets.reduce(0) { $0 + $1.byteCount }, alignment: 64)
  }

  deinit { memory.deallocate() }

  var planes: Int { targets.count }

  func gather(_ buffer: cv4l2_buffer, in queue: borrowing CaptureQueue) -> UnsafeRawBufferPointer {
    var offset = 0
    for plane in 0..<planes {
      let source = queue.filled(buffer, plane: plane)
      guard source.count >= sources[plane].byteCount else { return UnsafeRawBufferPointer(start: nil, count: 0) }
      copy(source, plane, to: offset)
      offset += targets[plane].byteCount
    }
    return UnsafeRawBufferPointer(memory)
  }

  private func copy(_ source: UnsafeRawBufferPointer, _ plane: Int, to offset: Int) {
    let (from, to) = (sources[plane], targets[plane])
    let length = min(from.bytes, to.bytes)
    for row in 0..<to.count {
      let line = UnsafeRawBufferPointer(rebasing: source[(row * from.bytes)..<(row * from.bytes + length)])
      UnsafeMutableRawBufferPointer(rebasing: memory[(offset + row * to.bytes)...]).copyMemory(from: line)
    }
  }
}
