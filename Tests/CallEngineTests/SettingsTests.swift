import CallPolicy
import SystemSupport
import Testing

@testable import CallEngine

@Suite("New settings", .timeLimit(.minutes(1)))
struct SettingsTests {
  /// No step of the engine sees the one without the other: an action's policy beside an older one of calls, say.
  @Test func whatDecidesBesideTheEngineChangesInTheSameStep() async throws {
    let engine = try EngineBench().engine
    let beside = Beside()
    await withDiscardingTaskGroup { group in
      group.addTask {
        for round in 0..<200 {
          let title = "\(round)"
          await engine.apply(EngineSettings(title: title, policy: CallPolicy(rules: []))) {
            beside.title.withLock { $0 = title }
          }
        }
      }
      group.addTask {
        for _ in 0..<2_000 { await engine.expectTitle { beside.title.withLock { $0 } } }
      }
    }
  }
}

private final class Beside: Sendable {
  let title = Mutex("Gate")
}

extension CallEngine {
  fileprivate func expectTitle(_ beside: @Sendable () -> String) { #expect(settings.title == beside()) }
}
