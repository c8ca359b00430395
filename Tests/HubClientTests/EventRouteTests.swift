import Testing

@testable import HubClient

struct EventRouteTests {
  @Test func threeSilentStreamsInARowHavePollingTried() {
    var route = EventRoute()
    route.failed(.eventsHeldBack)
    route.failed(.unreachable("reset"))
    route.failed(.eventsHeldBack)
    route.failed(.timedOut)
    #expect(!route.isPolling)
    route.failed(.eventsHeldBack)
    #expect(route.isPolling)
  }

  @Test func aHubThatHangsIsNotTakenForAProxyThatBuffers() {
    var route = polling()
    route.failed(.timedOut)
    #expect(!route.isPolling)
  }

  @Test func pollingThatIsProvenOutlivesTheHubsRestart() {
    var route = polling()
    route.streamIsHeldBack()
    route.failed(.unreachable("refused"))
    route.failed(.timedOut)
    #expect(route.isPolling)
    route.streamWorks()
    #expect(!route.isPolling)
  }

  private func polling() -> EventRoute {
    var route = EventRoute()
    for _ in 0..<EventRoute.maximumSilentStreams { route.failed(.eventsHeldBack) }
    return route
  }
}
