internal import Logging
internal import SystemSupport

/// What is to be written of users, many at once; of each the newest.
final class WaitingRecords<Record: Sendable>: Sendable {
  private static var portion: Int { 1_024 }

  private struct State {
    var waiting: [String: Record] = [:]
    var isFailing = false
  }

  /// Between two writes.
  private let pause: Duration
  /// Begins the log line about failures.
  private let subject: String
  private let logger: Logger
  private let store: @Sendable ([Record]) async throws -> Void
  private let state = Mutex(State())

  init(
    every pause: Duration, _ subject: String, logger: Logger, store: @escaping @Sendable ([Record]) async throws -> Void
  ) {
    (self.pause, self.subject, self.logger, self.store) = (pause, subject, logger, store)
  }

  func put(_ record: Record, of userID: String) { state.withLock { $0.waiting[userID] = record } }

  /// Those of these users that wait.
  func waiting(_ userIDs: [String]) -> [String: Record] {
    state.withLock { state in
      userIDs.reduce(into: [:]) { found, id in found[id] = state.waiting[id] }
    }
  }

  /// Writes until the task is cancelled, and once more then.
  func run(meanwhile: () -> Void = {}) async {
    while (try? await Task.sleep(for: pause)) != nil {
      meanwhile()
      await write()
    }
    await write()
  }

  private func write() async {
    while let portion = takePortion() {
      do {
        try await store(Array(portion.values))
        state.withLock { $0.isFailing = false }
      } catch {
        return keep(portion, after: error)
      }
    }
  }

  private func takePortion() -> [String: Record]? {
    state.withLock { state in
      let portion = Dictionary(uniqueKeysWithValues: state.waiting.prefix(Self.portion).map { ($0.key, $0.value) })
      for id in portion.keys { state.waiting[id] = nil }
      return portion.isEmpty ? nil : portion
    }
  }

  private func keep(_ portion: [String: Record], after error: any Error) {
    let isFirst = state.withLock { state in
      state.waiting.merge(portion) { newer, _ in newer }
      defer { state.isFailing = true }
      return !state.isFailing
    }
    if isFirst { logger.warning("\(subject) cannot be written: \(error); trying again") }
  }
}
