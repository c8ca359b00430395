public import HubCore
internal import Signalling
internal import TestSupport
internal import Testing

/// The nodes of one hub, all in this process, for which time passes quickly.
public final class BackplaneFleet: Sendable {
  /// Short times, so that timeouts expire soon.
  public static var limits: HubLimits {
    var limits = HubLimits()
    limits.reachabilityGrace = .milliseconds(400)
    limits.resumeWindow = .seconds(2)
    limits.presenceLifetime = .seconds(3)
    limits.unansweredTimeout = .milliseconds(1_500)
    limits.endedSessionMemory = .seconds(5)
    limits.reconciliationGrace = .milliseconds(100)
    limits.presenceAnnouncementInterval = .milliseconds(100)
    limits.archiveStartTimeout = .milliseconds(800)
    limits.callsPerMinute = 10_000
    limits.messagesPerMinute = 100_000
    return limits
  }

  let nodes: [any HubBackplane]
  let pushes: PushRecord
  private let clock: Task<Void, Never>

  /// - Parameters:
  ///   - nodes: of one hub; several entries may be one node.
  ///   - pushes: which the nodes' actions go to.
  public init(_ nodes: [any HubBackplane], pushes: PushRecord = PushRecord()) {
    (self.nodes, self.pushes) = (nodes, pushes)
    clock = Task {
      await withTaskGroup { group in
        for node in nodes {
          group.addTask { await node.run() }
          group.addTask {
            while (try? await Task.sleep(for: .milliseconds(100))) != nil { await node.tick() }
          }
        }
      }
    }
  }

  /// Ends everything.
  public func stop() async {
    clock.cancel()
    await clock.value
  }

  /// Waits until every node answers.
  public func waitUntilReady() async throws {
    for node in nodes {
      try await eventually("a node of the hub is ready") {
        guard (try? await node.isInSession("nobody")) != nil else { return false }
        let probe = Principal(userID: "probe", userTitle: "Probe", role: .device, kind: .device, groups: ["probe"])
        guard
          (try? await node.openStream("probe-\(UInt64.random(in: 0 ... .max))", for: probe, lastEventID: nil)) != nil
        else { return false }
        try? await node.withdrawPresence(userID: "probe", streamID: nil)
        return true
      }
    }
  }

  func client(_ principal: Principal, on node: Int) -> BackplaneClient {
    BackplaneClient(principal, nodes[node % nodes.count])
  }
}

/// A user's program: an event stream and its presence.
final class BackplaneClient {
  let principal: Principal
  var node: any HubBackplane
  private(set) var streamID = ""
  private(set) var received: [LoggedEvent] = []
  private(set) var isReset = false
  /// Where another stream resumes.
  var lastEventID: String?
  private var cursor: UInt64 = 0

  init(_ principal: Principal, _ node: any HubBackplane) {
    self.principal = principal
    self.node = node
  }

  func connect(resuming lastEventID: String? = nil) async throws {
    streamID = "stream-\(UInt64.random(in: .min ... .max))"
    let opening = try await node.openStream(streamID, for: principal, lastEventID: lastEventID)
    cursor = opening.cursor
    isReset = opening.hello.data.contains(#""isReset":true"#)
    self.lastEventID = opening.hello.id
  }

  func disconnect() { node.closeStream(streamID, of: principal.userID) }

  func announce(
    at location: UserLocation? = nil, status: PresenceStatus = .available, sessions: [SessionID]? = nil,
    permits: [String]? = nil
  ) async throws {
    var update = PresenceUpdate(
      userLocation: location, status: status, kind: principal.kind, isAudio: true, isVideo: true,
      eventStreamID: streamID, sessions: sessions)
    update.permits = permits
    try await node.updatePresence(of: principal, update)
  }

  func goOnline(at location: UserLocation? = nil) async throws {
    try await connect()
    try await announce(at: location)
  }

  /// Whether the stream is still open.
  @discardableResult
  func read() async throws -> Bool {
    guard let read = try await node.readStream(streamID, of: principal.userID, after: cursor) else { return false }
    cursor = read.cursor
    received += read.events
    for event in read.events { lastEventID = event.id ?? lastEventID }
    return true
  }

  /// The names of all events but presence, since ``connect(resuming:)``.
  var names: [EventName] { received.map(\.name).filter { $0 != .presence } }

  /// Waits for an event of that name; returns its data.
  @discardableResult
  func awaitEvent(_ name: EventName, about text: String = "") async throws -> String {
    var found: LoggedEvent?
    try await eventually("\(principal.userID) receives \(name.rawValue) \(text), has \(names)") {
      try await read()
      found = received.first { $0.name == name && $0.data.contains(text) }
      return found != nil
    }
    return found?.data ?? ""
  }

  // MARK: Calls

  func call(_ other: BackplaneClient, _ id: SessionID, offer: String = "offer") async throws {
    try await placeCall(id, from: principal, to: other.principal.userID, offer: offer, on: node)
  }

  func say(_ message: SessionMessage, in id: SessionID, on node: (any HubBackplane)? = nil) async throws {
    try await (node ?? self.node).receive(message, in: id, from: principal)
  }

  func answer(_ id: SessionID, sdp: String = "answer", on node: (any HubBackplane)? = nil) async throws {
    try await say(.answer(SessionDescription(sdp: sdp)), in: id, on: node)
  }
}

/// Places a call as the hub's route does.
func placeCall(
  _ id: SessionID, from caller: Principal, to receiverID: String, offer: String = "offer",
  subscriber: Principal? = nil, endsAt: Instant? = nil, on node: any HubBackplane
) async throws {
  let request = SessionRequest(receiverID: receiverID, isAudio: true, isVideo: true, offer: offer)
  let context = try await node.prepareCall(id, from: caller, request, subscriber: subscriber)
  let placement = CallPlacement(
    sessionID: id, caller: caller, request: request, context: context,
    tokens: PartyTokens(caller: "caller-token", receiver: "receiver-token"), receiverICEServers: [],
    endsAt: endsAt)
  try await node.placeCall(placement)
}
