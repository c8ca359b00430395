import HubConformance
import HubCore
import Testing

/// What ``HubBackplaneRedisTests`` asks of several nodes, asked of one in memory.
struct SessionHistoryTests {
  @Test(.timeLimit(.minutes(1))) func sessionsAreLinearizable() async throws {
    let backplane = MemoryBackplane(epoch: "e", limits: BackplaneFleet.limits) { _ in }
    let node = LivingNode(id: "one", backplane: backplane)
    let clock = Task { while (try? await Task.sleep(for: .milliseconds(100))) != nil { await backplane.tick() } }
    let workload = SessionWorkload(limits: BackplaneFleet.limits, seed: 3) { [node] }
    await workload.run(sessions: 60, atOnce: 20)
    clock.cancel()
    let histories = workload.recorder.histories
    #expect(histories.count == 60)
    #expect(histories.flatMap(HistoryCheck(workload.rules).violations) == [])
  }
}
