public import Signalling

/// What the nodes of a hub know in common: presence, event logs, sessions, limits, requests for archives and snapshots.
///
/// One node alone keeps it in memory (``MemoryBackplane``); several share it. Whatever the home, the same requests have
/// the same outcome: every implementation passes the suite in `HubBackplaneConformance`.
///
/// What is to be done outside, such as waking event streams, goes as ``HubActions`` to the closure that the
/// implementation was made with. Besides refusals by what is known, each request may be refused with
/// ``HubRefusal/overloaded(_:retryAfter:)`` while the home of the knowledge cannot be reached: then it is unknown whether
/// it took effect, and repeating it is harmless.
public protocol HubBackplane: Sendable {
  // MARK: Event streams

  /// Refuses a further stream before its response has begun.
  func checkStreamLimit(of userID: String) async throws(HubRefusal)

  /// - Parameters:
  ///   - streamID: unguessable, and never used before.
  ///   - lastEventID: as the client says; nil for one that begins.
  func openStream(
    _ streamID: String, for principal: Principal, lastEventID: String?
  ) async throws(HubRefusal) -> StreamOpening

  /// Begins to close; returns before that has reached other nodes.
  func closeStream(_ streamID: String, of userID: String)

  /// What the stream reads next; nil when it was too slow, has lost events that had to arrive, and must be closed.
  ///
  /// - Parameter cursor: of ``StreamOpening``, or what the last reading returned.
  func readStream(
    _ streamID: String, of userID: String, after cursor: UInt64
  ) async throws(HubRefusal) -> (events: [LoggedEvent], cursor: UInt64)?

  // MARK: Presence

  /// Announces or renews presence.
  func updatePresence(of principal: Principal, _ update: PresenceUpdate) async throws(HubRefusal)

  /// A client leaves: sessions end as well.
  ///
  /// - Parameter streamID: the event stream of the client that leaves. While the user has others, only what this client
  ///   held ends, and the user stays.
  func withdrawPresence(userID: String, streamID: String?) async throws(HubRefusal)

  /// Which of these users are online, so that a call can reach them.
  func online(_ userIDs: [String]) async throws(HubRefusal) -> Set<String>

  /// Who is online and may be called by `asker`, the nearest first.
  func nearby(_ query: NearbyQuery, asker: Principal) async throws(HubRefusal) -> [NearbyUser]

  // MARK: Calls

  /// Whether `caller` may call now, and what the tokens should say: the same for the same request. Counts as one call.
  ///
  /// - Parameter subscriber: the receiver as the store has it, if it has push subscriptions: it can be called without
  ///   event stream.
  func prepareCall(
    _ sessionID: SessionID, from caller: Principal, _ request: SessionRequest, subscriber: Principal?
  ) async throws(HubRefusal) -> CallContext

  /// Places a prepared call; repeating the request is harmless.
  func placeCall(_ placement: CallPlacement) async throws(HubRefusal)

  /// Takes a party's message about a session, and forwards it to the other one.
  func receive(_ message: SessionMessage, in sessionID: SessionID, from sender: Principal) async throws(HubRefusal)

  /// Notes which of the receiver's phones ring, as ``HubActions/pushes`` had this node have them; the caller is notified. A
  /// call that reaches neither phone nor page ends. Nothing happens where there is no such session.
  ///
  /// Each order goes to one node: the one whose change of the session took effect.
  func notePhones(_ report: PhoneReport, in sessionID: SessionID) async throws(HubRefusal)

  /// Whether the user is a party to a session that has not ended.
  func isInSession(_ userID: String) async throws(HubRefusal) -> Bool

  /// Sends users events that no change of a session causes; who has no event stream gets none.
  func publish(_ deliveries: [Delivery]) async throws(HubRefusal)

  /// The sessions that have not ended, the oldest first; of very many not all.
  func ongoingCalls() async throws(HubRefusal) -> [OngoingCall]

  /// The session of that id, unless it has ended or never was.
  func ongoingCall(_ sessionID: SessionID) async throws(HubRefusal) -> OngoingCall?

  /// Ends a session for both parties, as if one had hung up; harmless where it has ended.
  func endCall(_ sessionID: SessionID) async throws(HubRefusal)

  // MARK: Limits

  /// Counts a token that is given without a credential, to a user or an address.
  func admitToken(for key: String) async throws(HubRefusal)

  // MARK: Archives

  /// Asks a device for something of its archives, or for a snapshot; the device answers with an upload under
  /// `uploadID`.
  ///
  /// - Parameter uploadID: unguessable. Given up through ``HubActions/expiredUploads`` when no device answers in time.
  func request(
    _ content: DeviceContent, of deviceID: String, by requester: Principal, uploadID: String
  ) async throws(HubRefusal)

  /// The device's upload begins; each id is good for one upload by the device that was asked.
  func claimUpload(_ uploadID: String, by userID: String) async throws(HubRefusal) -> UploadPlace

  /// An upload begins that another node hands on, which has seen that the device is the one that was asked.
  ///
  /// - Parameter ticket: what ``claimUpload(_:by:)`` gave that node.
  func claimRelayedUpload(_ uploadID: String, ticket: String) async throws(HubRefusal)

  /// The upload is not awaited any longer; never blocks.
  func finishUpload(_ uploadID: String)

  // MARK: Time

  /// Keeps up what the implementation needs, such as connections, until the task is cancelled.
  func run() async

  /// Whether requests can be taken; once true, it stays so while what is needed fails for a while.
  var isReady: Bool { get }

  /// Does what has become due; call it about once a second while ``needsTicks``, else now and then.
  func tick() async

  /// Whether anything has a deadline. That it has one now and had none before goes out as ``HubActions/startsClock``.
  var needsTicks: Bool { get }

  /// What this node has done and holds, for `/metrics`.
  var figures: (counters: HubCounters, gauges: HubGauges) { get async }

  /// The same of this node's connection to Redis; nil without one.
  var redisFigures: RedisFigures? { get }

  /// How the hub as a whole is, for operators; within a few seconds, whatever fails.
  var status: BackplaneStatus { get async }
}

extension HubBackplane {
  /// The same where no receiver has push subscriptions.
  public func prepareCall(
    _ sessionID: SessionID, from caller: Principal, _ request: SessionRequest
  ) async throws(HubRefusal) -> CallContext {
    try await prepareCall(sessionID, from: caller, request, subscriber: nil)
  }
}

/// Where an upload is awaited.
public enum UploadPlace: Sendable, Equatable {
  /// On this node, which has claimed it.
  case here
  /// On the node of this address, `host:port`, which takes it from the holder of the ticket; good for this one upload.
  case node(address: String, ticket: String)
}
