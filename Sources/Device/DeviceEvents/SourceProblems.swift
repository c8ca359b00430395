public import ControlMessages
internal import SystemSupport
public import Logging
internal import MediaPlaneAPI

/// Sources of events from which nothing can be read; logged once each, and shown while it lasts, with the reason
/// of the moment: what is unplugged is gone, then absent, and when it is back forbidden for as long as udev has not seen it.
public final class SourceProblems: ProblemReporting {
  fileprivate struct State {
    var lasting: [String: ProblemStatus] = [:]
    /// The one that was over last.
    var over: ProblemStatus?
  }

  private let logger: Logger
  private let wallTime: @Sendable () -> Int64
  private let state = Mutex(State())

  /// - Parameter wallTime: milliseconds since 1970.
  public init(logger: Logger, wallTime: @escaping @Sendable () -> Int64) {
    self.logger = logger
    self.wallTime = wallTime
  }

  /// Notes why a source cannot be read, or with nil that it can; from any thread, as often as one likes.
  public func note(_ failure: String?, of source: String) {
    let now = wallTime()
    let couldBeRead = state.withLock { state in
      defer { state.note(failure.map { "\"\(source)\": \($0)" }, of: source, now: now) }
      return state.lasting[source] == nil
    }
    switch (failure, couldBeRead) {
    case (let failure?, true): logger.warning("the source of events \"\(source)\" notices nothing: \(failure)")
    case (nil, false): logger.notice("the source of events \"\(source)\" can be read again")
    default: break
    }
  }

  /// A source is not asked any more.
  public func forget(_ source: String) { state.withLock { $0.lasting[source] = nil } }

  /// All that lasts as one, else what was last over.
  public var problem: ProblemStatus? {
    state.withLock { state in
      let lasting = state.lasting.sorted { $0.key < $1.key }.map(\.value)
      guard !lasting.isEmpty else { return state.over }
      let text = "sources of events notice nothing: \(lasting.map(\.text).joined(separator: "; "))"
      return ProblemStatus(part: .eventSources, text: text, since: lasting.compactMap(\.since).min())
    }
  }
}

extension SourceProblems.State {
  fileprivate mutating func note(_ text: String?, of source: String, now: Int64) {
    if let text {
      lasting[source] = ProblemStatus(part: .eventSources, text: text, since: lasting[source]?.since ?? now)
    } else if var problem = lasting.removeValue(forKey: source) {
      problem.until = now
      over = problem
    }
  }
}
