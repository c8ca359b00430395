import SystemSupport
import Logging
import ObjectStorage

/// What a store has turned out to take, for as long as the daemon runs; what changes is logged once. From any task.
final class StoreMemory: Sendable {
  private let state = Mutex(StoreHabits?.none)
  private let logger: Logger?

  init(_ logger: Logger? = nil) { self.logger = logger }

  /// - Parameter configured: what the configuration says, for the time before anything is known.
  func habits(or configured: StoreHabits) -> StoreHabits { state.withLock { $0 } ?? configured }

  /// Keeps that with which a request succeeded.
  func keep(_ habits: StoreHabits, configured: StoreHabits) {
    let last = state.withLock { state in
      defer { state = habits }
      return state ?? configured
    }
    guard last != habits else { return }
    for text in Self.changes(from: last, to: habits) { logger?.notice("\(text)") }
  }

  func change(_ configured: StoreHabits, _ body: (inout StoreHabits) -> Void) {
    state.withLock { state in
      var habits = state ?? configured
      body(&habits)
      state = habits
    }
  }

  private static func changes(from last: StoreHabits, to habits: StoreHabits) -> [String] {
    var texts: [String] = []
    if last.checksum != habits.checksum {
      texts.append(
        "the store refuses the checksum \(last.checksum) and takes \(habits.checksum); checksums = \"\(habits.checksum)\" in [upload] saves the attempt after each start"
      )
    }
    if last.clockOffset != habits.clockOffset {
      texts.append(
        "the store's clock differs from this machine's by \(habits.clockOffset / 1_000) s, requests carry the store's time; see timedatectl"
      )
    }
    if last.place != habits.place {
      texts.append(
        "the store has the bucket at \(habits.place.host) in region \(habits.place.region); name both in [upload]")
    }
    return texts
  }
}
