internal import Glibc
public import MediaCore

/// What this machine takes for the stages of media: measured with the encoders and decoders that the daemon uses, on frames
/// that move.
public struct SpeedMeasurement: Sendable, Hashable {
  /// What a frame takes to encode.
  public struct Encoding: Sendable, Hashable {
    /// Pixels.
    public var width: Int
    public var height: Int
    /// That shared it.
    public var threads: Int
    /// libvpx's `cpu-used`; lower is faster and coarser.
    public var speed: Int
    /// The median.
    public var time: TimeSpan
    public init(width: Int, height: Int, threads: Int, speed: Int, time: TimeSpan) {
      (self.width, self.height, self.threads, self.speed, self.time) = (width, height, threads, speed, time)
    }
  }

  /// That the process may use.
  public var processors: Int
  /// By size, the smallest first: the setting that the daemon would come to.
  public var encodings: [Encoding]
  /// What a frame of ``stageSize`` takes to decode from MJPEG, and to convert from YUYV.
  public var jpegTime: TimeSpan
  public var conversionTime: TimeSpan
  /// Pixels.
  public var stageSize: (width: Int, height: Int) { (stageWidth, stageHeight) }
  /// What 20 ms of sound take to encode.
  public var soundTime: TimeSpan
  private var stageWidth: Int
  private var stageHeight: Int

  public init(
    processors: Int, encodings: [Encoding], stageSize: (width: Int, height: Int), jpegTime: TimeSpan,
    conversionTime: TimeSpan, soundTime: TimeSpan
  ) {
    (self.processors, self.encodings) = (processors, encodings)
    (stageWidth, stageHeight) = stageSize
    (self.jpegTime, self.conversionTime, self.soundTime) = (jpegTime, conversionTime, soundTime)
  }
}

// MARK: - What follows from it

extension SpeedMeasurement.Encoding {
  /// The most frames a second of which each takes so little of its interval that the daemon keeps these settings; 60 at most.
  public var frameRate: Int {
    min(60, Int(saturating: SpeedControl.highLoad / max(time.seconds, 1e-6)))
  }

  func isRealtime(at rate: Int) -> Bool { frameRate >= rate }
}

extension SpeedMeasurement {
  /// What `[video]` may ask of this machine.
  public struct Recommendation: Sendable, Hashable {
    public var encoding: Encoding
    /// Frames a second.
    public var frameRate: Int
    public var bitrate: Bitrate
    /// Of all processors, what frames from MJPEG take at that rate.
    public var load: Double
  }

  static let usualRate = 30
  static let minimumRate = 15
  /// Of all processors, what may be spent on frames: sound, network and disk need some.
  private static let share = 0.75

  /// The largest size at the usual rate, else at half of it, else the smallest at what is possible; of one camera in MJPEG,
  /// and encoded no coarser than any size has to be.
  public var recommendation: Recommendation? {
    let finest = encodings.filter { $0.speed == encodings.map(\.speed).max() }
    for rate in [Self.usualRate, Self.minimumRate] {
      if let encoding = finest.last(where: { affordableRate($0) >= rate }) { return recommend(encoding, rate) }
    }
    return encodings.first.map { recommend($0, max(1, affordableRate($0))) }
  }

  /// Whether frames of a size come in time at a rate; nil for sizes that are larger than what was measured.
  public func suffices(width: Int, height: Int, frameRate: Int) -> Bool? {
    let measured = encodings.first { $0.width * $0.height >= width * height }
    return measured.map { affordableRate($0) >= frameRate }
  }

  private func affordableRate(_ encoding: Encoding) -> Int {
    min(encoding.frameRate, Int(saturating: Self.share * Double(processors) / max(work(encoding), 1e-6)))
  }

  private func recommend(_ encoding: Encoding, _ rate: Int) -> Recommendation {
    Recommendation(
      encoding: encoding, frameRate: rate, bitrate: Self.bitrate(width: encoding.width, height: encoding.height),
      load: work(encoding) * Double(rate) / Double(processors))
  }

  /// Processor seconds a frame.
  private func work(_ encoding: Encoding) -> Double {
    let scale = Double(encoding.width * encoding.height) / Double(stageWidth * stageHeight)
    return encoding.time.seconds * Double(encoding.threads) + jpegTime.seconds * scale
  }

  /// 800 kbit/s at 640×480, and for each doubling of the pixels 1.7 times as much, since larger ones are smoother.
  static func bitrate(width: Int, height: Int) -> Bitrate {
    let kilobits = 800 * pow(Double(width * height) / (640 * 480), 0.75)
    return .kilobits(Int(saturating: (kilobits / 100).rounded() * 100))
  }
}
