internal import ButtonInput
public import DeviceConfiguration
public import DigitalInputs
public import EventDetection
internal import Locking
public import MediaCore
public import MediaPipeline

/// Follows keys, switches and lines, and makes events of those that are active.
///
/// One that is found active is an event, too: a door may have been opened while the daemon did not run.
public final class InputWatch: Sendable {
  /// What is followed; its id names it in steps.
  public struct Source: Hashable, Sendable {
    public var id: Int
    public var name: String
    public var place: InputPlace
    public var timing: EventTiming

    public init(id: Int, name: String, place: InputPlace, timing: EventTiming) {
      self.id = id
      self.name = name
      self.place = place
      self.timing = timing
    }
  }

  private let sources: [Source]
  private let steps: EventStepQueue
  private let problems: SourceProblems
  private let detectors: Mutex<[ConditionDetector]>

  /// - Parameters:
  ///   - steps: where what is noticed goes.
  ///   - problems: told of what cannot be read.
  public init(_ sources: [Source], steps: EventStepQueue, problems: SourceProblems) {
    self.sources = sources
    self.steps = steps
    self.problems = problems
    detectors = Mutex(sources.map { ConditionDetector($0.timing, .changes) })
  }

  /// Reads until the task is cancelled.
  public func run() async {
    let (problems, sources) = (problems, sources)
    let inputs = sources.map { DigitalInputs.Input(name: $0.name, place: $0.place) }
    await DigitalInputs(inputs) { places, change in
      let failure: String? = if case .unavailable(let text) = change { text } else { nil }
      for place in places { problems.note(failure, of: sources[place].name) }
    }.run { index, level in
      self.take(level, of: index)
    }
  }

  /// Takes the level of a source, by its place.
  public func take(_ level: InputLevel, of index: Int) {
    look(index) { detector in
      level.origin == .lost
        ? detector.lose(at: level.time) : detector.take(level.isActive, at: level.time)
    }
  }

  /// To be called each second or so.
  public func tick(now: MonotonicInstant) {
    for index in sources.indices { look(index) { $0.tick(now: now) } }
  }

  private func look(_ index: Int, _ look: (inout ConditionDetector) -> [ConditionDetector.Step]) {
    detectors.withLock { detectors in
      for step in look(&detectors[index]) { steps.push(EventStep(source: sources[index].id, step: step)) }
    }
  }
}
