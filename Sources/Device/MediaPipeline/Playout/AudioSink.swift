internal import ALSAAudio
internal import MediaCore
internal import RealtimeRuntime

/// Where decoded sound goes: a sound card, or nowhere at the pace of the clock.
enum AudioSink: ~Copyable {
  case card(ALSAPlayback)
  case nowhere(PacedSink)

  /// What takes nothing for this long has hung.
  var timeout: TimeSpan {
    switch self {
    case .card(let playback): playback.timeout
    case .nowhere: .milliseconds(500)
    }
  }

  /// Hertz of what is to be written.
  var rate: Int {
    switch self {
    case .card(let playback): playback.rate
    case .nowhere: PacedSink.rate
    }
  }

  /// How long a sample written now waits until it sounds.
  var delay: TimeSpan {
    switch self {
    case .card(let playback): playback.delay
    case .nowhere(let sink): sink.delay
    }
  }

  /// Times that the card ran dry.
  var underruns: Int {
    switch self {
    case .card(let playback): playback.underruns
    case .nowhere: 0
    }
  }

  /// Throws for a card whose ``delay`` does not get shorter.
  func failStuck() throws(ALSAError) {
    switch self {
    case .card(let playback): throw playback.stuck
    case .nowhere: return
    }
  }

  /// Writes samples, waiting for space.
  mutating func write(_ samples: Span<Int16>, channels: Int) throws(ALSAError) {
    switch consume self {
    case .card(var playback):
      do throws(ALSAError) {
        try playback.write(samples, timeout: playback.timeout)
        self = .card(playback)
      } catch {
        self = .card(playback)
        throw error
      }
    case .nowhere(var sink):
      sink.write(frames: samples.count / channels)
      self = .nowhere(sink)
    }
  }

  /// Throws away what has not sounded yet.
  mutating func discard() throws(ALSAError) {
    switch consume self {
    case .card(var playback):
      do throws(ALSAError) {
        try playback.discard()
        self = .card(playback)
      } catch {
        self = .card(playback)
        throw error
      }
    case .nowhere: self = .nowhere(PacedSink())
    }
  }
}

/// Takes samples no faster than a card would.
struct PacedSink {
  private var end = MonotonicInstant(nanoseconds: 0)

  static let rate = 48_000
  private static let capacity = TimeSpan.milliseconds(60)

  var delay: TimeSpan { max(.zero, end - MonotonicClock.now()) }

  mutating func write(frames: Int) {
    end = max(end, MonotonicClock.now()) + TimeSpan.seconds(Int64(frames)) / Int64(Self.rate)
    MonotonicClock.sleep(until: end - Self.capacity)
  }
}
