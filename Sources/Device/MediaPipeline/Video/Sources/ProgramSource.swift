internal import MediaCore
internal import MediaFiles
internal import PixelConversion
internal import RealtimeRuntime

/// Frames that a program writes to its standard output, stamped when they have come.
final class ProgramSource: LiveFrameSource {
  private(set) var description: VideoSourceDescription
  private let program: VideoProgram
  private let stream: ProgramStream
  private var framing: VideoStreamFraming
  private var buffer = StreamBuffer()
  /// The newest whole frame, in the buffer.
  private var frame: Range<Int>?
  private var skippedCount = 0
  private var flow: FrameFlow
  private var decoder: ProgramFrameDecoder

  /// A wait is cut into pieces of this length.
  private static let slice = TimeSpan.milliseconds(100)
  /// A frame comes in many pieces. Waking up for each of them would cost more than reading them.
  private static let pieceInterval = TimeSpan.milliseconds(1)

  init(_ program: VideoProgram, _ request: SourceRequest) throws(SourceFailure) {
    self.program = program
    let (width, height) = (program.width ?? request.width, program.height ?? request.height)
    let frameRate = Double(program.frameRate ?? request.frameRate)
    framing = VideoStreamFraming(program.streamFormat(width: width, height: height))
    flow = FrameFlow(frameRate: frameRate)
    decoder = try ProgramFrameDecoder(program, width: width, height: height)
    stream = try ProgramStream(name: program.name, command: program.command)
    description = program.description(width: width, height: height, frameRate: frameRate)
  }

  var printed: PrintedLines? {
    get { stream.printed }
    set { stream.printed = newValue }
  }

  func takeSkippedCount() -> Int {
    defer { skippedCount = 0 }
    return skippedCount
  }

  func awaitFrame(until stop: EventDescriptor) throws(SourceFailure) -> FrameOutcome {
    forgetFrame()
    let end = MonotonicClock.now() + Self.slice
    while true {
      let before = buffer.byteCount
      if let outcome = try takeNewest() { return outcome }
      guard MonotonicClock.now() < end else {
        try stream.requireLife()
        return .nothing
      }
      if buffer.byteCount > before {
        if stop.wait(timeout: Self.pieceInterval) { return .nothing }
      } else if stream.wait(timeout: Self.slice, interruption: stop.fileDescriptor) {
        return .nothing
      }
    }
  }

  func draw(into image: inout I420Buffer, at captured: MonotonicInstant) throws(SourceFailure) -> FrameOutcome {
    guard let frame else { return .nothing }
    // A buffer of the size before.
    guard image.width == description.width, image.height == description.height else { return .resized }
    switch try decoder.draw(buffer.bytes[frame].rebased.bytes, into: &image) {
    case .drawn: return .frame(captured)
    case .damaged(let damage): return .damaged(damage)
    case .resized:
      describe(width: decoder.width, height: decoder.height, description.frameRate)
      return .resized
    }
  }
}

// MARK: - Reading

extension ProgramSource {
  /// Nil until a frame is whole, or while nothing has come.
  private func takeNewest() throws(SourceFailure) -> FrameOutcome? {
    while true {
      switch try nextStep() {
      case .header(let header): if try take(header) { return .resized }
      case .frame(let range): try note(range)
      case .incomplete(let capacity):
        guard frame != nil else {
          if try read(capacity) == 0 { return nil }
          continue
        }
        guard try readNewer(capacity) else { return .frame(MonotonicClock.now()) }
      }
    }
  }

  private func nextStep() throws(SourceFailure) -> VideoStreamFraming.Step {
    do throws(VideoStreamError) {
      return try framing.next(buffer.bytes.bytes)
    } catch {
      throw stream.failure(
        "what it writes to standard output is not \(program.format): \(error); have it write that, or name its format")
    }
  }

  private func read(_ capacity: Int) throws(SourceFailure) -> Int {
    if frame == nil { removeUsed() }
    let count = try stream.read(into: buffer.room(capacity: capacity))
    buffer.append(count)
    return count
  }

  /// Returns whether more has come in which a newer frame may be whole.
  private func readNewer(_ capacity: Int) throws(SourceFailure) -> Bool {
    let waiting = stream.waitingByteCount
    // The end of the stream is noticed when the frame before it has been shown.
    if program.format == .mjpeg { return waiting > 0 ? try read(capacity) > 0 : false }
    guard waiting >= capacity else { return false }
    skippedCount += 1
    forgetFrame()
    return try read(capacity) > 0
  }

  private func note(_ range: Range<Int>) throws(SourceFailure) {
    guard flow.add(now: MonotonicClock.now()) else {
      throw stream.failure(
        "more than \(flow.limit) frames a second come; have it write them as they are captured (ffmpeg: -re before -i)")
    }
    if frame != nil { skippedCount += 1 }
    frame = range
  }

  private func forgetFrame() {
    guard frame != nil else { return }
    frame = nil
    removeUsed()
  }

  private func removeUsed() {
    buffer.removeFirst(framing.removable)
    framing.remove()
  }
}

// MARK: - Sizes

extension ProgramSource {
  /// Returns whether frames have another size than before.
  private func take(_ header: Y4MHeader) throws(SourceFailure) -> Bool {
    try decoder.take(header)
    let frameRate = program.frameRate.map { Double($0) } ?? header.rate ?? description.frameRate
    flow = FrameFlow(frameRate: frameRate)
    let before = description
    describe(width: header.width, height: header.height, frameRate)
    return description != before
  }

  private func describe(width: Int, height: Int, _ frameRate: Double) {
    description = program.description(width: width, height: height, frameRate: frameRate)
  }
}

extension Y4MHeader {
  fileprivate var rate: Double? { frameRate.map { Double($0.numerator) / Double($0.denominator) } }
}

extension Slice<UnsafeRawBufferPointer> {
  fileprivate var rebased: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: self) }
}

extension VideoProgram {
  fileprivate func streamFormat(width: Int, height: Int) -> VideoStreamFraming.Format {
    // A JPEG of more than two bytes a pixel is none.
    let bytesOfPixels = 2 * width * height
    return switch format {
    case .y4m: .y4m
    case .yuv420p, .nv12: .raw(frameByteCount: max(1, width * height * 3 / 2))
    case .mjpeg: .mjpeg(maximumByteCount: self.width == nil ? 8 << 20 : max(bytesOfPixels, 1 << 18))
    }
  }

  fileprivate func description(width: Int, height: Int, frameRate: Double) -> VideoSourceDescription {
    var description = VideoSourceDescription(
      name: name, text: "\(name), \(format) \(width)×\(height) at \(hundredths(frameRate))/s", width: width,
      height: height, frameRate: frameRate)
    description.limits = .program(of: "frames")
    return description
  }
}

/// Whether frames come as they are captured: a program that reads a file as fast as it can would keep a processor busy for
/// frames that no one sees.
struct FrameFlow {
  /// Frames a second: more than a camera that is faster than stated.
  let limit: Int
  private var bucket: LeakyBucket

  init(frameRate: Double) {
    limit = max(120, Int(saturating: (4 * frameRate).rounded()))
    bucket = LeakyBucket(capacity: Double(limit) * 2, rate: Double(limit))
  }

  mutating func add(now: MonotonicInstant) -> Bool { bucket.add(1, now: now) }
}
