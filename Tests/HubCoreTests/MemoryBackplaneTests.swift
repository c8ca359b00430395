import HubConformance
import HubCore
import Testing

struct MemoryBackplaneTests {
  @Test(.timeLimit(.minutes(2))) func conforms() async throws {
    let pushes = PushRecord()
    let backplane = MemoryBackplane(epoch: "e", limits: BackplaneFleet.limits) { pushes.take($0) }
    let fleet = BackplaneFleet([backplane, backplane, backplane], pushes: pushes)
    try await HubBackplaneConformance(fleet).run()
    await fleet.stop()
  }
}
