internal import MediaCodecs
public import MediaCore
internal import PixelConversion
internal import RealtimeRuntime
internal import SystemSupport

extension SpeedMeasurement {
  static let sizes = [(640, 480), (1_280, 720), (1_920, 1_080), (2_560, 1_440), (3_840, 2_160)]
  /// Measured where the first of ``sizes`` is too large.
  static let smallSize = (320, 240)
  /// A larger size is tried if it would take no more than this, were it to take as much for each pixel.
  private static let promising = TimeSpan.milliseconds(40)

  /// Measures everything; takes about as long as `limit` says, on the calling thread and those that encoders make. Nil where
  /// a codec does not start.
  public static func run(limit: TimeSpan = .seconds(3)) -> SpeedMeasurement? {
    let processors = Processors.usableCount
    let end = MonotonicClock.now() + limit
    var encodings = measureEncodings(until: end - limit / 4, processors)
    if encodings.first?.isRealtime(at: minimumRate) != true, let small = encoding(smallSize, processors) {
      encodings.insert(small, at: 0)
    }
    guard let size = encodings.last(where: { $0.isRealtime(at: minimumRate) }) ?? encodings.first else { return nil }
    let frames = PanningFrames(width: size.width, height: size.height)
    guard let jpeg = jpegTime(frames), let conversion = conversionTime(frames), let sound = soundTime() else {
      return nil
    }
    return SpeedMeasurement(
      processors: processors, encodings: encodings, stageSize: (size.width, size.height), jpegTime: jpeg,
      conversionTime: conversion, soundTime: sound)
  }

  private static func measureEncodings(until end: MonotonicInstant, _ processors: Int) -> [Encoding] {
    var found: [Encoding] = []
    for size in sizes {
      if let last = found.last, !isPromising(size, after: last) || MonotonicClock.now() > end { break }
      guard let encoding = encoding(size, processors) else { break }
      found.append(encoding)
    }
    return found
  }

  private static func isPromising(_ size: (Int, Int), after last: Encoding) -> Bool {
    let growth = Double(size.0 * size.1) / Double(last.width * last.height)
    return TimeSpan(seconds: last.time.seconds * growth) <= promising
  }

  /// One thread at the usual speed, then what the daemon does about a lack of time.
  private static func encoding(_ size: (Int, Int), _ processors: Int) -> Encoding? {
    let frames = PanningFrames(width: size.0, height: size.1)
    let usual = VP8EncoderSettings.defaultSpeed
    guard var best = time(frames, threads: 1, speed: usual) else { return nil }
    guard !best.isRealtime(at: usualRate) else { return best }
    let threads = min(processors, VideoStage.maximumThreads)
    if threads > 1, let shared = time(frames, threads: threads, speed: usual), shared.time < best.time { best = shared }
    guard !best.isRealtime(at: usualRate) else { return best }
    let fastest = time(frames, threads: best.threads, speed: SpeedControl.fastest)
    return fastest.map { $0.time < best.time ? $0 : best } ?? best
  }
}

// MARK: - Stages

extension SpeedMeasurement {
  /// Each stage is measured for this long.
  private static let stageTime = TimeSpan.milliseconds(150)
  private static let warmUp = 2
  private static let fewest = 5

  private static func time(_ frames: PanningFrames, threads: Int, speed: Int) -> Encoding? {
    let settings = VP8EncoderSettings(
      width: frames.width, height: frames.height, frameRate: 30,
      bitrate: bitrate(width: frames.width, height: frames.height), maximumKeyFrameInterval: nil, speed: speed,
      dropsFrames: false, threads: threads)
    guard var encoder = try? VP8Encoder(settings) else { return nil }
    let time = median { index in encode(frames[index].image, number: index, with: &encoder) }
    return time.map {
      Encoding(width: frames.width, height: frames.height, threads: threads, speed: speed, time: $0)
    }
  }

  private static func encode(
    _ image: borrowing I420Buffer, number: Int, with encoder: inout VP8Encoder
  ) -> Bool {
    let interval = TimeSpan.microseconds(33_333)
    let timestamp = MonotonicInstant(nanoseconds: 0) + interval * Int64(number)
    return (try? encoder.encode(image.view, at: timestamp, duration: interval) { _, _ in }) != nil
  }

  private static func jpegTime(_ frames: PanningFrames) -> TimeSpan? {
    guard let bytes = JPEGEncoder.encode(frames[0].image),
      var decoder = JPEGDecoder(width: frames.width, height: frames.height)
    else { return nil }
    var target = I420Buffer(width: frames.width, height: frames.height)
    return median { _ in (try? decoder.decode(bytes.span.bytes, into: &target)) != nil }
  }

  private static func conversionTime(_ frames: PanningFrames) -> TimeSpan? {
    let bytes = [UInt8](repeating: 90, count: frames.width * frames.height * 2)
    var target = I420Buffer(width: frames.width, height: frames.height)
    let rowBytes = frames.width * 2
    return median { _ in
      (try? PixelConverter.convert(bytes.span.bytes, format: .yuyv, bytesPerLine: rowBytes, into: &target)) != nil
    }
  }

  private static func soundTime() -> TimeSpan? {
    guard var encoder = try? OpusEncoder(OpusEncoderSettings()) else { return nil }
    var tone = ToneGenerator(frequency: 440)
    var samples = [Int16](repeating: 0, count: OpusEncoder.samplesPerPacket)
    return median { _ in
      var span = samples.mutableSpan
      tone.fill(&span, channels: 1)
      let packet = samples
      return (try? encoder.encode(packet.span) { _ in }) != nil
    }
  }

  /// What `body` takes, in the median; nil where it returns false.
  private static func median(of body: (Int) -> Bool) -> TimeSpan? {
    let end = MonotonicClock.now() + stageTime
    var times: [TimeSpan] = []
    while times.count < warmUp + fewest || MonotonicClock.now() < end {
      let begin = MonotonicClock.now()
      guard body(times.count) else { return nil }
      times.append(MonotonicClock.now() - begin)
    }
    let counted = times.dropFirst(warmUp).sorted()
    return counted[counted.count / 2]
  }
}
