import Foundation
import HubCore
import HubStore
import HubStoreSQLite
import Hummingbird
import NIOCore
import NIOHTTP1
import OpenSSLCrypto
import Signalling
import SystemSupport
import Testing

@testable import HubHTTP

@Suite(.timeLimit(.minutes(1))) struct EventPushTests {
  private static let id = "20261125T070500Z-9f3c01ab"

  private func withHub(
    _ service: PushServer = PushServer(), limits: HubLimits = HubLimits(),
    _ body: @escaping @Sendable (HubFixture, Int) async throws -> Void
  ) async throws {
    try await service.run { port in
      var configuration = HubConfiguration()
      configuration.push = PushConfiguration(
        contact: "mailto:admin@example.org", services: [try #require(PushServiceName("http://127.0.0.1:\(port)"))])
      try await HubFixture.run(configuration, limits: limits) { hub in try await body(hub, port) }
    }
  }

  private func subscribe(_ browser: Browser, _ member: Member, _ hub: HubFixture) async throws {
    #expect(try await hub.send(.POST, "/v1/push/subscriptions", browser.request, by: member).status == 201)
  }

  private var event: DetectedEvent {
    var event = DetectedEvent(
      id: Self.id, kind: .motion, source: "yard", start: 1_795_590_300_000, score: 76, clockSynchronized: true)
    event.rule = "at night"
    return event
  }

  private func push(
    _ recipients: [PushRecipient], by device: Member, _ hub: HubFixture, event: DetectedEvent? = nil
  ) async throws -> Reply {
    try await hub.send(
      .POST, "/v1/device-events/push", EventPushRequest(event: event ?? self.event, recipients: recipients), by: device)
  }

  private func browsers(_ reply: Reply) throws -> Int {
    #expect(reply.status == 202, "\(reply.text)")
    return try reply.decode(EventPushGrant.self).browsers
  }

  @Test func anEventComesToThoseWhoShareAGroupWithTheDevice() async throws {
    let service = PushServer()
    try await withHub(service) { hub, port in
      let gate = try await hub.addDevice("Front gate", groups: ["home"])
      let anna = try await hub.addPerson("Anna", role: .operator, groups: ["home", "family"])
      let ben = try await hub.addPerson("Ben", groups: ["home"])
      let eve = try await hub.addPerson("Eve", role: .operator, groups: ["elsewhere", "family"])
      let (first, second) = (try Browser("a", port: port), try Browser("b", port: port))
      try await subscribe(first, anna, hub)
      try await subscribe(second, ben, hub)
      try await subscribe(try Browser("e", port: port), eve, hub)
      let reply = try await push([.user(anna.id), .group("family"), .user(eve.id), .user("nobody")], by: gate, hub)
      #expect(try browsers(reply) == 1)
      try await hub.eventually { service.posted.withLock { $0.count } == 1 }
      let posted = service.posted.withLock { $0[0] }
      let message = try first.read(posted, as: EventPushMessage.self)
      #expect(message.kind == "device.event" && message.eventKind == "motion" && message.label == "Motion")
      #expect((message.deviceID, message.deviceTitle, message.eventID) == (gate.id, "Front gate", Self.id))
      #expect((message.source, message.rule, message.time) == ("yard", "at night", 1_795_590_300_000))
      #expect(message.imageTicket != nil)
      #expect(posted.headers["urgency"] == "normal")
      let lifetime = try #require(posted.headers["ttl"].flatMap { Int($0) })
      #expect((3_590...3_600).contains(lifetime))
      // Those who may not see events of devices have no ticket.
      #expect(try browsers(try await push([.group("home")], by: gate, hub)) == 2)
      try await hub.eventually { service.posted.withLock { $0.count } == 3 }
      let later = service.posted.withLock { $0[1...] }
      #expect(Set(later.map(\.path)) == ["/push/a", "/push/b"])
      #expect(later.allSatisfy { $0.headers["topic"] == posted.headers["topic"] })
      let toBen = try #require(later.first { $0.path == "/push/b" })
      #expect(try second.read(toBen, as: EventPushMessage.self).imageTicket == nil)
      try await hub.eventually { try await hub.metric("push_messages_total") == 3 }
    }
  }

  @Test func changesOfGroupsCountAtOnce() async throws {
    try await withHub { hub, port in
      let gate = try await hub.addDevice("gate")
      let anna = try await hub.addPerson("Anna")
      try await subscribe(try Browser("a", port: port), anna, hub)
      #expect(try browsers(try await push([.group("default")], by: gate, hub)) == 1)
      var record = try #require(try await hub.store.user(id: anna.id))
      record.groups = ["elsewhere"]
      try await hub.store.update(record)
      #expect(try browsers(try await push([.group("default"), .user(anna.id)], by: gate, hub)) == 0)
    }
  }

  @Test func onlyDevicesPushAndOnlyWhatIsAnEvent() async throws {
    try await withHub { hub, _ in
      let (gate, anna) = (try await hub.addDevice("gate"), try await hub.addPerson("Anna"))
      #expect(try await push([.user("x")], by: anna, hub).problem == "not-allowed")
      var odd = event
      odd.source = "<b>"
      #expect(try await push([.user("x")], by: gate, hub, event: odd).status == 400)
      odd = event
      odd.rule = nil
      #expect(try await push([.user("x")], by: gate, hub, event: odd).status == 400)
      #expect(try await push([], by: gate, hub).status == 400)
      #expect(try await push(Array(repeating: .user("x"), count: 17), by: gate, hub).status == 400)
      var request = EventPushRequest(event: event, recipients: [])
      request.recipients = ["role:operator"]
      #expect(try await hub.send(.POST, "/v1/device-events/push", request, by: gate).status == 400)
    }
    try await HubFixture.run { hub in
      let gate = try await hub.addDevice("gate")
      #expect(try await push([.user("x")], by: gate, hub).problem == "push-off")
    }
  }

  @Test func aDeviceAndAPersonHaveLimits() async throws {
    var limits = HubLimits()
    (limits.eventPushesPerMinute, limits.eventPushesPerPersonPerMinute) = (3, 2)
    try await withHub(limits: limits) { hub, port in
      let (gate, anna) = (try await hub.addDevice("gate"), try await hub.addPerson("Anna"))
      try await subscribe(try Browser("a", port: port), anna, hub)
      for count in [1, 1, 0] { #expect(try browsers(try await push([.user(anna.id)], by: gate, hub)) == count) }
      #expect(try await push([.user(anna.id)], by: gate, hub).status == 429)
    }
  }

  @Test func aTicketIsGoodForItsImageAloneAndEndsWithTheSubscription() async throws {
    let service = PushServer()
    try await withHub(service) { hub, port in
      let gate = try await hub.addDevice("gate")
      let anna = try await hub.addPerson("Anna", role: .operator)
      let browser = try Browser("a", port: port)
      try await subscribe(browser, anna, hub)
      try await hub.withEvents(of: gate) { events in
        try await hub.publish(gate, stream: events)
        _ = try await push([.user(anna.id)], by: gate, hub)
        try await hub.eventually { service.posted.withLock { $0.count } == 1 }
        let message = try browser.read(service.posted.withLock { $0[0] }, as: EventPushMessage.self)
        let fields = [("X-Image-Ticket", try #require(message.imageTicket))]
        let path = "/v1/event-images/\(gate.id)/\(Self.id)"
        async let reply = hub.send(.GET, path, headers: fields)
        let request = try await events.next(.request, as: RequestEvent.self)
        #expect(request.path == "events/\(Self.id)/picture")
        let refused = try await hub.send(
          .POST, "/v1/uploads/\(request.uploadID)", bytes: ByteBuffer(), by: gate, headers: [("X-Status", "404")])
        #expect(refused.status == 204)
        #expect(try await reply.status == 404)
        for other in [
          "/v1/event-images/\(gate.id)/20261125T070500Z-00000000", "/v1/event-images/\(anna.id)/\(Self.id)",
        ] { #expect(try await hub.send(.GET, other, headers: fields).problem == "not-found") }
        #expect(try await hub.send(.GET, path).problem == "not-found")
        #expect(try await hub.send(.GET, path, headers: [("X-Image-Ticket", gate.token)]).problem == "not-found")
        // It is no login.
        let asToken = Member(id: anna.id, token: fields[0].1)
        #expect(try await hub.send(.GET, "/v1/users", by: asToken).status == 401)
        #expect(try await hub.send(.DELETE, "/v1/login", by: anna).status == 204)
        #expect(try await hub.send(.GET, path, headers: fields).problem == "not-found")
      }
    }
  }

  @Test func ticketsRunOutAndCannotBeMade() throws {
    let tickets = EventImageTickets(pushKey: Array(0..<32))
    let ticket = EventImageTicket(
      deviceID: "gate", eventID: "20261125T070500Z-9f3c01ab", userID: "anna", subscriptionID: "a", expiresAt: 1_000)
    let text = try #require(tickets.text(of: ticket))
    #expect(tickets.ticket(text, now: 999) == ticket)
    #expect(tickets.ticket(text, now: 1_000) == nil)
    #expect(EventImageTickets(pushKey: Array(1..<33)).ticket(text, now: 1) == nil)
    let (content, mark) = (text.prefix { $0 != "." }, text.drop { $0 != "." }.dropFirst())
    for odd in [
      "", ".", String(content), "\(content).", "A\(content.dropFirst()).\(mark)", "\(content).A\(mark.dropFirst())",
    ]
    where odd != text { #expect(tickets.ticket(odd, now: 1) == nil, "\(odd)") }
    #expect(tickets.ticket(String(repeating: "A", count: 5_000), now: 1) == nil)
  }

  @Test func statusShowsWhatBecameOfMessages() async throws {
    let service = PushServer([(.gone, nil)])
    try await withHub(service) { hub, port in
      let (gate, anna) = (try await hub.addDevice("gate"), try await hub.addPerson("Anna"))
      try await subscribe(try Browser("a", port: port), anna, hub)
      try await subscribe(try Browser("b", port: port), anna, hub)
      #expect(try await hub.store.subscriptionCount() == 2)
      _ = try await push([.user(anna.id)], by: gate, hub)
      try await hub.eventually { try await hub.metric("push_subscriptions_ended_total") == 1 }
      try await hub.eventually { try await hub.metric("push_messages_total") == 1 }
      #expect(try await hub.store.subscriptionCount() == 1)
    }
  }
}
