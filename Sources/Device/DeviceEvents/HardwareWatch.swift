public import EventDetection
public import MediaCore
public import MediaPipeline
import RealtimeRuntime
public import HostSystem

/// Polls temperatures and supplies every two seconds, and makes events of them. Works on a thread of its own: some
/// sensors answer slowly.
public actor HardwareWatch {
  /// What is polled; its id names it in steps.
  public struct Source: Hashable, Sendable {
    public var id: Int
    public var name: String
    public var condition: HardwareCondition
    public var timing: EventTiming

    public init(id: Int, name: String, condition: HardwareCondition, timing: EventTiming) {
      self.id = id
      self.name = name
      self.condition = condition
      self.timing = timing
    }
  }

  /// From one poll to the next.
  public static let interval = TimeSpan.seconds(2)
  /// A sensor may fail to answer fewer polls than this.
  private static let maxMisses = 3

  private let reader: HardwareReader
  private let steps: EventStepQueue
  private let problems: SourceProblems
  private nonisolated let executor = DiskExecutor()
  private var sources: [(source: Source, detector: HardwareDetector, misses: Int)]
  /// Notified of each change of the sources.
  private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - steps: where what is noticed goes.
  ///   - problems: receives what cannot be read.
  public init(_ sources: [Source], reader: HardwareReader, steps: EventStepQueue, problems: SourceProblems) {
    self.reader = reader
    self.steps = steps
    self.problems = problems
    self.sources = sources.map { ($0, HardwareDetector($0.condition, $0.timing), 0) }
  }

  /// Polls these from now on. An unchanged source continues, and whatever is ongoing at others ends.
  public func apply(_ sources: [Source]) {
    for index in self.sources.indices where !sources.contains(self.sources[index].source) {
      push(self.sources[index].detector.finish(), of: index)
      problems.forget(self.sources[index].source.name)
    }
    let old = self.sources
    self.sources = sources.map { source in
      old.first { $0.source == source } ?? (source, HardwareDetector(source.condition, source.timing), 0)
    }
    changes.continuation.yield()
  }

  /// Polls until the task is cancelled, as long as there are sources.
  public func run() async {
    var changes = changes.stream.makeAsyncIterator()
    while !Task.isCancelled {
      if sources.isEmpty {
        await changes.next()
      } else {
        check(at: MonotonicClock.now())
        try? await Task.sleep(for: Duration(Self.interval))
      }
    }
  }

  /// Polls everything once.
  public func check(at time: MonotonicInstant) {
    for index in sources.indices {
      let reading = read(&sources[index])
      push(sources[index].detector.take(reading, at: time), of: index)
    }
  }

  private func push(_ found: [HardwareDetector.Step], of index: Int) {
    for step in found {
      steps.push(EventStep(source: sources[index].source.id, step: step, detail: sources[index].detector.detail))
    }
  }

  private func read(
    _ watched: inout (source: Source, detector: HardwareDetector, misses: Int)
  ) -> HardwareReading? {
    do throws(HardwareAbsence) {
      let reading = try reader.read(watched.source.condition)
      watched.misses = 0
      problems.note(nil, of: watched.source.name)
      return reading
    } catch {
      watched.misses = min(watched.misses + 1, Self.maxMisses)
      if watched.misses == Self.maxMisses { problems.note(error.description, of: watched.source.name) }
      return nil
    }
  }
}
