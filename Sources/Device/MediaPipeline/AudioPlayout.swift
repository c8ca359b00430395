public import MediaCore
public import RealtimeRuntime
internal import Locking

/// Where received sound is played.
public enum SpeakerSelection: Hashable, Sendable {
  /// The first sound card that can play; looked for again and again while there is none.
  case automatic
  /// An ALSA name such as `default` or `plughw:CARD=Device,DEV=0`.
  case device(String)
  /// Decoded at the pace of the clock and thrown away; for tests.
  case testNull
  case none

  /// Reads `auto`, `test:null`, `none`, or an ALSA name; nil for another `test:` sink.
  public init?(_ text: String) {
    switch text {
    case "": return nil
    case "auto": self = .automatic
    case "test:null": self = .testNull
    case "none": self = .none
    case _ where text.hasPrefix("test:"): return nil
    default: self = .device(text)
    }
  }
}

/// Counters of an ``AudioPlayout``, read at one moment.
public struct AudioPlayoutStatistics: Sendable, Hashable {
  /// Packets decoded and played.
  public var played = 0
  /// Packets recovered from the one after them.
  public var recovered = 0
  /// Packets that were concealed.
  public var concealed = 0
  /// Packets left out because too many waited.
  public var leftOut = 0
  /// Packets that came too late, twice, or too long.
  public var lateOrRefused = 0
  /// Times that the card ran dry.
  public var underruns = 0
}

/// What control learns from an ``AudioPlayout``.
public enum AudioPlayoutEvent: Sendable, Hashable {
  /// Sound goes to this device.
  case opened(name: String)
  /// There is no sound; the card is tried again until playing stops.
  case failed(reason: String)
}

/// Plays one party's sound: takes Opus packets from an inbox, bridges jitter and loss, decodes, writes to the card.
///
/// Packets have to come in the order of their numbers. One instance serves one sender; the network thread pushes into ``inbox``.
public final class AudioPlayout: Sendable {
  /// Where received packets go; only its sound ring is read.
  public var inbox: FrameInbox { controls.inbox }

  private let controls: PlayoutControls
  private let runs = Mutex<(current: MediaThreadRun?, ended: MediaThreadRun?)>((nil, nil))

  /// - Parameters:
  ///   - channels: 1 or 2; what comes in otherwise is converted.
  ///   - announces: plays a short signal first, so that people near the device know that somebody listens.
  ///   - onEvent: called on the playout thread, for each change once.
  public init(
    speaker: SpeakerSelection, channels: Int = 1, announces: Bool = false,
    onEvent: @escaping @Sendable (AudioPlayoutEvent) -> Void = { _ in }
  ) throws(SystemCallError) {
    controls = PlayoutControls(
      inbox: try FrameInbox(videoBytes: 1_024), speaker: speaker, channels: channels, announces: announces,
      onEvent: onEvent)
  }

  deinit { stop() }

  public var statistics: AudioPlayoutStatistics { controls.snapshot }

  /// Starts the thread, which opens the card; with ``SpeakerSelection/none``, or if it runs already, does nothing.
  public func start() throws(SystemCallError) {
    guard controls.speaker != .none else { return }
    try runs.withLock { (runs) throws(SystemCallError) in
      guard runs.current == nil else { return }
      let run = try MediaThreadRun()
      let controls = controls
      try run.begin(name: "media-playout", after: runs.ended) {
        do {
          var loop = try PlayoutLoop(controls, run)
          loop()
        } catch {
          controls.report(.failed(reason: "\(error)"))
        }
      }
      runs.current = run
    }
  }

  /// Ends the thread, which closes the card.
  public func stop() {
    runs.withLock { runs in
      guard let run = runs.current else { return }
      run.stop()
      controls.inbox.wake.signal()
      runs = (nil, run)
    }
  }

  /// Blocks until the stopped thread has closed the card. Not for the shared thread pool.
  public func waitUntilIdle(timeout: TimeSpan) -> Bool {
    runs.withLock { $0.ended }?.waitUntilFinished(timeout: timeout) ?? true
  }

  /// Plays silence instead, without closing the card.
  public func setMuted(_ isMuted: Bool) { controls.isMuted.store(isMuted, ordering: .relaxed) }
}
