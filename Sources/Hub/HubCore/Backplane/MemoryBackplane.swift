internal import SystemSupport
public import Signalling

/// The knowledge of a hub of one node: a ``HubState`` under a lock.
///
/// Every mutation runs under the lock and does no input or output; what it asks for is done after leaving it.
public final class MemoryBackplane: HubBackplane {
  private let state: Mutex<HubState>
  private let perform: @Sendable (HubActions) -> Void

  /// - Parameters:
  ///   - epoch: must differ from that of every earlier run of the hub.
  ///   - perform: does what follows from a change; called by whatever task made the change.
  public init(epoch: String, limits: HubLimits, perform: @escaping @Sendable (HubActions) -> Void) {
    state = Mutex(HubState(epoch: epoch, limits: limits))
    self.perform = perform
  }

  // MARK: Event streams

  public func checkStreamLimit(of userID: String) async throws(HubRefusal) {
    try mutate { state, _ throws(HubRefusal) in try state.checkStreamLimit(of: userID) }
  }

  public func openStream(
    _ streamID: String, for principal: Principal, lastEventID: String?
  ) async throws(HubRefusal) -> StreamOpening {
    try mutate { state, now throws(HubRefusal) in
      try state.openStream(streamID, for: principal, lastEventID: lastEventID, now: now)
    }
  }

  public func closeStream(_ streamID: String, of userID: String) {
    mutate { state, now in state.closeStream(streamID, of: userID, now: now) }
  }

  public func readStream(
    _ streamID: String, of userID: String, after cursor: UInt64
  ) async throws(HubRefusal) -> (events: [LoggedEvent], cursor: UInt64)? {
    mutate { state, _ in state.readStream(of: userID, after: cursor) }
  }

  // MARK: Presence

  public func updatePresence(of principal: Principal, _ update: PresenceUpdate) async throws(HubRefusal) {
    try mutate { state, now throws(HubRefusal) in try state.updatePresence(of: principal, update, now: now) }
  }

  public func withdrawPresence(userID: String, streamID: String?) async throws(HubRefusal) {
    mutate { state, now in state.withdrawPresence(userID: userID, streamID: streamID, now: now) }
  }

  public func nearby(_ query: NearbyQuery, asker: Principal) async throws(HubRefusal) -> [NearbyUser] {
    try mutate { state, now throws(HubRefusal) in try state.nearby(query, asker: asker, now: now) }
  }

  public func online(_ userIDs: [String]) async throws(HubRefusal) -> Set<String> {
    mutate { state, _ in state.online(userIDs) }
  }

  // MARK: Calls

  public func prepareCall(
    _ sessionID: SessionID, from caller: Principal, _ request: SessionRequest, subscriber: Principal?
  ) async throws(HubRefusal) -> CallContext {
    try mutate { state, now throws(HubRefusal) in
      try state.prepareCall(sessionID, from: caller, request, subscriber: subscriber, now: now)
    }
  }

  public func notePhones(_ report: PhoneReport, in sessionID: SessionID) async throws(HubRefusal) {
    mutate { state, now in state.notePhones(report, in: sessionID, now: now) }
  }

  public func placeCall(_ placement: CallPlacement) async throws(HubRefusal) {
    try mutate { state, now throws(HubRefusal) in try state.placeCall(placement, now: now) }
  }

  public func receive(
    _ message: SessionMessage, in sessionID: SessionID, from sender: Principal
  ) async throws(HubRefusal) {
    try mutate { state, now throws(HubRefusal) in
      try state.receive(message, in: sessionID, from: sender, now: now)
    }
  }

  public func isInSession(_ userID: String) async throws(HubRefusal) -> Bool {
    mutate { state, _ in state.isInSession(userID) }
  }

  public func publish(_ deliveries: [Delivery]) async throws(HubRefusal) {
    mutate { state, now in state.publish(deliveries, now: now) }
  }

  public func ongoingCalls() async throws(HubRefusal) -> [OngoingCall] {
    mutate { state, now in state.ongoingCalls(now: now) }
  }

  public func ongoingCall(_ sessionID: SessionID) async throws(HubRefusal) -> OngoingCall? {
    mutate { state, now in state.ongoingCall(sessionID, now: now) }
  }

  public func endCall(_ sessionID: SessionID) async throws(HubRefusal) {
    mutate { state, now in state.endCall(sessionID, now: now) }
  }

  // MARK: Limits

  public func admitToken(for key: String) async throws(HubRefusal) {
    try mutate { state, now throws(HubRefusal) in try state.admitToken(for: key, now: now) }
  }

  // MARK: Archives

  public func request(
    _ content: DeviceContent, of deviceID: String, by requester: Principal, uploadID: String
  ) async throws(HubRefusal) {
    try mutate { state, now throws(HubRefusal) in
      try state.request(content, of: deviceID, by: requester, uploadID: uploadID, now: now)
    }
  }

  public func claimUpload(_ uploadID: String, by userID: String) async throws(HubRefusal) -> UploadPlace {
    try mutate { state, _ throws(HubRefusal) in try state.claimUpload(uploadID, by: userID) }
    return .here
  }

  /// There is no other node.
  public func claimRelayedUpload(_ uploadID: String, ticket: String) async throws(HubRefusal) {
    throw .notFound("no such upload")
  }

  public func finishUpload(_ uploadID: String) {
    mutate { state, _ in state.finishUpload(uploadID) }
  }

  // MARK: Time

  public func run() async {
    while (try? await Task.sleep(for: .seconds(86_400))) != nil {}
  }

  public var isReady: Bool { true }

  public func tick() async {
    mutate { state, now in state.tick(now: now) }
  }

  public var needsTicks: Bool { state.withLock { $0.needsTicks } }

  public var figures: (counters: HubCounters, gauges: HubGauges) {
    get async { state.withLock { ($0.counters, $0.gauges) } }
  }

  public var redisFigures: RedisFigures? { nil }

  public var status: BackplaneStatus {
    get async {
      let (gauges, userIDs) = state.withLock { ($0.gauges, $0.directory.reachableUserIDs) }
      var status = BackplaneStatus()
      var node = BackplaneStatus.Node(
        name: "hub", eventStreams: gauges.eventStreams, presentUsers: gauges.presences)
      node.setPresentUserIDs(userIDs)
      status.nodes = [node]
      status.liveSessions = gauges.liveSessions
      status.overdueSessions = 0
      return status
    }
  }

  // MARK: Parts

  /// Changes the state at the present time and does what follows from that.
  private func mutate<Value: Sendable, Failure: Error>(
    _ body: (inout HubState, Instant) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let now = Instant.now
    let (result, actions) = state.withLock { state in
      let result = Result { () throws(Failure) in try body(&state, now) }
      return (result, state.drainActions())
    }
    if !actions.isEmpty { perform(actions) }
    return try result.get()
  }
}
