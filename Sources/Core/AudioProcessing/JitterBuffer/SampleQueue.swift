internal import MediaCore

/// Decoded sound that waits to be played: interleaved samples, removed or inserted without a click.
///
/// Positions and counts are of samples of each channel. Allocates only when made.
struct SampleQueue: ~Copyable {
  /// The longest packet twice, and insertions.
  private static let capacity = 16_384
  /// Room in front for insertions.
  static let reserve = 960
  /// The length of a fade-in, 5 ms.
  private static let fade = 240

  let channels: Int
  private var samples: [Int16]
  private var head = SampleQueue.reserve
  private(set) var count = 0
  /// How many samples of the front reach up to the last concealed one.
  private var concealed = 0
  /// Whether the sound has faded out.
  private var isFaded = false

  init(channels: Int) {
    self.channels = channels
    samples = [Int16](repeating: 0, count: Self.capacity * channels)
  }

  /// Whether some queued sound is concealed.
  var isConcealed: Bool { concealed > 0 }

  /// The sum of the channels.
  func mono(at position: Int) -> Float {
    let index = (head + position) * channels
    return channels == 2 ? Float(samples[index]) + Float(samples[index + 1]) : Float(samples[index])
  }

  /// Appends the first samples of `source`, fading in after ``fadeOut(_:)``; drops what does not fit.
  mutating func append(_ source: borrowing [Int16], _ length: Int, isConcealed: Bool = false) {
    compact()
    let added = min(length, Self.capacity - head - count)
    guard added > 0 else { return }
    let place = (head + count) * channels
    for index in 0..<added * channels { samples[place + index] = source[index] }
    if isFaded { fadeIn(min(added, Self.fade)) }
    count += added
    if isConcealed { concealed = count }
  }

  /// Lets the sound behind ``count`` begin in silence.
  private mutating func fadeIn(_ length: Int) {
    isFaded = false
    for index in 0..<length * channels {
      let place = (head + count) * channels + index
      samples[place] = Self.mix(0, samples[place], Float(index / channels + 1) / Float(length + 1))
    }
  }

  /// Moves queued sound to the front when little room is left behind it.
  private mutating func compact() {
    guard head > Self.capacity / 2 else { return }
    for index in 0..<count * channels { samples[Self.reserve * channels + index] = samples[head * channels + index] }
    head = Self.reserve
  }

  /// Moves as much as there is to the front of `output`; returns how much that was.
  mutating func pop(into output: inout MutableSpan<Int16>) -> Int {
    let taken = min(count, output.count / channels)
    for index in 0..<taken * channels { output[index] = samples[head * channels + index] }
    head += taken
    count -= taken
    concealed = max(0, concealed - taken)
    return taken
  }

  /// Removes `lag` samples: the first `lag` fade into the ones after them.
  mutating func shorten(by lag: Int) {
    for index in 0..<lag * channels {
      let place = head * channels + index
      let other = place + lag * channels
      samples[other] = Self.mix(samples[place], samples[other], Float(index / channels + 1) / Float(lag + 1))
    }
    head += lag
    count -= lag
  }

  /// Whether there is room in front.
  func canLengthen(by lag: Int) -> Bool { head >= lag && count >= 2 * lag }

  /// Puts in `lag` samples: the first `lag` are played, and those after them fade into them, as though again.
  mutating func lengthen(by lag: Int) {
    for index in 0..<lag * channels {
      let place = head * channels + index
      let early = samples[place]
      let late = samples[place + lag * channels]
      samples[place - lag * channels] = early
      samples[place] = Self.mix(late, early, Float(index / channels + 1) / Float(lag + 1))
    }
    head -= lag
    count += lag
  }

  /// Lets the last `length` samples fade into silence.
  mutating func fadeOut(_ length: Int) {
    let length = min(length, count)
    isFaded = true
    for index in 0..<length * channels {
      let place = (head + count - length) * channels + index
      samples[place] = Self.mix(samples[place], 0, Float(index / channels + 1) / Float(length + 1))
    }
  }

  private static func mix(_ from: Int16, _ to: Int16, _ share: Float) -> Int16 {
    Int16(nearest: Float(from) + (Float(to) - Float(from)) * share)
  }
}
