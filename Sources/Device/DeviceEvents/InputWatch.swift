public import EventDetection
public import DeviceConfiguration
public import DeviceActions
internal import SystemSupport
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

  private struct Followed {
    var source: Source
    var detector: ConditionDetector

    init(_ source: Source) {
      self.source = source
      detector = ConditionDetector(source.timing, .changes)
    }
  }

  private let steps: EventStepQueue
  private let problems: SourceProblems
  private let followed: Mutex<[Followed]>
  private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// A line has one owner, and its reader notices within half a second that it is to end.
  private static let handover = Duration.seconds(1)

  /// - Parameters:
  ///   - steps: where what is noticed goes.
  ///   - problems: receives what cannot be read.
  public init(_ sources: [Source], steps: EventStepQueue, problems: SourceProblems) {
    self.steps = steps
    self.problems = problems
    followed = Mutex(sources.map { Followed($0) })
    changes.continuation.yield()
  }

  /// Follows these from now on. An unchanged source continues, and whatever is ongoing at others ends. From any thread.
  public func apply(_ sources: [Source]) {
    followed.withLock { followed in
      for index in followed.indices where !sources.contains(followed[index].source) {
        push(followed[index].detector.finish(), of: followed[index].source)
        problems.forget(followed[index].source.name)
      }
      let old = followed
      followed = sources.map { source in old.first { $0.source == source } ?? Followed(source) }
    }
    changes.continuation.yield()
  }

  /// Reads until the task is cancelled.
  public func run() async {
    var readers: [[Source]: Task<Void, Never>] = [:]
    for await _ in changes.stream {
      let wanted = Set(Self.groups(of: followed.withLock { $0.map(\.source) }))
      let ended = readers.keys.filter { !wanted.contains($0) }
      for members in ended { readers.removeValue(forKey: members)?.cancel() }
      for members in wanted where readers[members] == nil {
        readers[members] = Task { await read(members, after: ended.isEmpty ? nil : Self.handover) }
      }
    }
    for reader in readers.values { reader.cancel() }
    for reader in readers.values { await reader.value }
  }

  /// What is read together: the keys of one device, or a line.
  private static func groups(of sources: [Source]) -> [[Source]] {
    Dictionary(grouping: sources) { source in
      switch source.place {
      case .key(let key): "key \(key.device)"
      case .line: "line of \(source.id)"
      }
    }.values.map { $0.sorted { $0.id < $1.id } }
  }

  private func read(_ members: [Source], after pause: Duration?) async {
    if let pause { try? await Task.sleep(for: pause) }
    guard !Task.isCancelled else { return }
    let inputs = members.map { DigitalInputs.Input(name: $0.name, place: $0.place) }
    await DigitalInputs(inputs) { places, change in
      let failure: String? = if case .unavailable(let text) = change { text } else { nil }
      for place in places { self.note(failure, of: members[place]) }
    }.run { index, level in
      self.take(level, of: members[index].id)
    }
  }

  /// A reader that is being ended has nothing to say any more.
  private func note(_ failure: String?, of source: Source) {
    followed.withLock { followed in
      if followed.contains(where: { $0.source == source }) { problems.note(failure, of: source.name) }
    }
  }

  /// Takes the level of a source, by its id.
  public func take(_ level: InputLevel, of id: Int) {
    followed.withLock { followed in
      guard let index = followed.firstIndex(where: { $0.source.id == id }) else { return }
      let found =
        level.origin == .lost
        ? followed[index].detector.lose(at: level.time)
        : followed[index].detector.take(level.isActive, at: level.time)
      push(found, of: followed[index].source)
    }
  }

  /// To be called each second or so.
  public func tick(now: MonotonicInstant) {
    followed.withLock { followed in
      for index in followed.indices { push(followed[index].detector.tick(now: now), of: followed[index].source) }
    }
  }

  private func push(_ found: [ConditionDetector.Step], of source: Source) {
    for step in found { steps.push(EventStep(source: source.id, step: step)) }
  }
}
