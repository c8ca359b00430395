internal import ALSAAudio
internal import MediaCore
internal import RealtimeRuntime

/// Sound that a program writes to its standard output, stamped by when it comes. Ends with the value.
struct ProgramMicrophone: ~Copyable {
  let program: AudioProgram
  private let channels: Int
  private let stream: ProgramStream
  private let bytes: UnsafeMutableRawBufferPointer
  /// Of an unfinished frame, at the beginning of `bytes`.
  private var rest = 0
  private var flow: LeakyBucket

  /// More than this much sound that comes at once was not captured just now.
  private static let longestBurst = 5.0
  /// How much faster than its rate a program may be for good: its clock is another one.
  private static let fastest = 1.02
  private static let frameBytes = 2
  private static let bufferFrames = 1_920

  /// Starts the program.
  ///
  /// - Parameter channels: 1 or 2, whatever the program has.
  init(_ program: AudioProgram, channels: Int, printed: PrintedLines) throws(SourceFailure) {
    stream = try ProgramStream(name: program.name, command: program.command)
    stream.printed = printed
    self.program = program
    self.channels = channels
    let rate = Double(program.rate)
    flow = LeakyBucket(capacity: rate * Self.longestBurst, rate: rate * Self.fastest)
    bytes = .allocate(byteCount: Self.bufferFrames * Self.frameBytes * program.channels, alignment: 16)
  }

  deinit { bytes.deallocate() }

  /// Waits for sound, and reads it as far as it fits.
  mutating func read(
    into output: inout MutableSpan<Int16>, timeout: TimeSpan
  ) throws(SourceFailure) -> AudioReadOutcome {
    if try fill() == 0 {
      _ = stream.wait(timeout: timeout)
      if try fill() == 0 {
        try stream.requireLife()
        return .timedOut
      }
    }
    let frameByteCount = Self.frameBytes * program.channels
    let whole = UnsafeRawBufferPointer(rebasing: bytes[..<rest])
    let frames = PCMFormat.signed16.decode(
      whole.bytes, channels: program.channels, into: &output, channels: channels)
    guard frames > 0 else { return .timedOut }
    keepRest(from: frames * frameByteCount)
    try check(frames)
    return .samples(count: frames, timestamp: firstSampleTime(frames, frameByteCount))
  }

  private mutating func fill() throws(SourceFailure) -> Int {
    let count = try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[rest...]))
    rest += count
    return count
  }

  private mutating func keepRest(from start: Int) {
    bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<rest]))
    rest -= start
  }

  private mutating func check(_ frames: Int) throws(SourceFailure) {
    guard !flow.add(Double(frames), now: MonotonicClock.now()) else { return }
    throw stream.failure(
      "more sound comes than \(program.rate) samples a second; have it write sound as it is captured"
        + " (ffmpeg: -re before -i), or state its rate and channels")
  }

  /// What waits behind these frames was captured after them.
  private func firstSampleTime(_ frames: Int, _ frameByteCount: Int) -> MonotonicInstant {
    let behind = (stream.waitingByteCount + rest) / frameByteCount
    return MonotonicClock.now() - TimeSpan.seconds(Int64(frames + behind)) / Int64(program.rate)
  }
}
