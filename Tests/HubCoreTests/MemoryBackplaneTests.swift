import HubConformance
import HubCore
import Testing

struct MemoryBackplaneTests {
  @Test(.timeLimit(.minutes(2))) func conforms() async throws {
    let backplane = MemoryBackplane(epoch: "e", limits: BackplaneFleet.limits) { _ in }
    let fleet = BackplaneFleet([backplane, backplane, backplane])
    try await HubBackplaneConformance(fleet).run()
    await fleet.stop()
  }
}
