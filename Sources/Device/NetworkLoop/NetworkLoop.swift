import ICE
public import MediaCore
public import PeerSession
public import RealtimeRuntime
import Synchronization
import SystemSupport
public import TLSClient
public import TransportCrypto
public import Signalling

/// Where the network loop listens and what it hands to sessions.
public struct NetworkLoopConfiguration: Sendable {
  /// Addresses to bind, one socket each; port 0 takes an ephemeral one. A wildcard host offers every interface.
  public var addresses: [TransportAddress]
  public var cname: String
  /// By default as many calls as `max_sessions` permits (64), their previews (8), and some that are ending.
  public var maximumSessions: Int
  /// How many video sources there are beside the one of ``NetworkLoop/localFrames``; at most 8.
  public var furtherSources = 0
  /// What a session can need at most, all its streams together.
  public var sendLimit: Bitrate
  /// The maximum that each peer is asked to send.
  public var receiveLimit = Bitrate.kilobits(2_500)
  public var transportPolicy: ICETransportPolicy
  /// A PEM file of authorities that are trusted besides the system's when a TURN server is reached over TLS.
  public var turnAuthorityFile: String?
  /// Whether TURN servers are reached through a proxy over TLS.
  public var route = ProxyRoute.direct

  public init(
    addresses: [TransportAddress], cname: String, maximumSessions: Int = 80, sendLimit: Bitrate = .kilobits(2_500),
    transportPolicy: ICETransportPolicy = .all, turnAuthorityFile: String? = nil
  ) {
    self.addresses = addresses
    self.cname = cname
    self.maximumSessions = maximumSessions
    self.sendLimit = sendLimit
    self.transportPolicy = transportPolicy
    self.turnAuthorityFile = turnAuthorityFile
  }
}

/// Makes the cryptography that the network thread uses; called once, on that thread.
public typealias TransportCryptoMaking =
  @Sendable () throws -> (any CryptoPrimitives, any DTLSAssociationMaking, any PacketProtectionMaking)

/// One thread that owns the UDP sockets and every peer session.
///
/// Control talks to it through a bounded queue; encoded frames reach it through ``localFrames`` and ``furtherFrames``; what
/// happens comes back on ``events`` and ``readings``.
public final class NetworkLoop: Sendable {
  /// Attach this inbox to the bus whose frames the sessions send.
  public let localFrames: FrameInbox
  /// For video that sessions can be sent in place of that of ``localFrames``.
  public let furtherFrames: [FrameInbox]
  /// What happens to the sessions, in order; none is dropped. Has one reader.
  public var events: AsyncStream<NetworkEvent> { reports.events }
  /// What their paths allow, the newest for each session. Has one reader.
  public var readings: LatestValues<SessionHandle, SessionReading> { reports.readings }
  /// What happens to the sockets and to servers, as text for logs. Bounded.
  public let notices: AsyncStream<NetworkNotice>
  /// Where the sockets are bound, wildcard hosts as configured.
  public let boundAddresses: [TransportAddress]

  let commands: NetworkCommandQueue
  private let reports: SessionReports
  private let rounds: SharedCounter
  private let thread: MediaThread

  /// Binds the sockets and starts the thread.
  public init(configuration: NetworkLoopConfiguration, makeCrypto: @escaping TransportCryptoMaking) throws {
    let frames = try FrameInbox()
    let further = try (0..<configuration.furtherSources).map { _ in try FrameInbox(audioBytes: 0) }
    let commands = try NetworkCommandQueue()
    let rounds = SharedCounter()
    let reports = SessionReports()
    let (notices, noticing) = AsyncStream.makeStream(of: NetworkNotice.self, bufferingPolicy: .bufferingNewest(64))
    let tls = try TLSClient(authorityFile: configuration.turnAuthorityFile)
    let resolver = NameResolver { commands.push(.finishLookup($0)) }
    var sockets: [UDPSocket] = []
    for address in configuration.addresses { sockets.append(try UDPSocket(address)) }
    // Watched before they are read, so that no change is missed.
    let watch = Self.makeAddressWatch(noticing)
    let state = NetworkThreadStart(
      sockets: sockets, addressWatch: watch, localAddresses: .read(), configuration: configuration,
      crypto: try makeCrypto(), frames: frames, furtherFrames: further, commands: commands, rounds: rounds,
      reports: reports,
      notices: noticing, tls: tls, resolver: resolver)
    localFrames = frames
    furtherFrames = further
    self.commands = commands
    self.rounds = rounds
    self.reports = reports
    self.notices = notices
    boundAddresses = sockets.map(\.address)
    thread = try MediaThread(name: "ls-network") { state.run() }
  }

  /// Calls continue without it, with the addresses of the start.
  private static func makeAddressWatch(_ notices: AsyncStream<NetworkNotice>.Continuation) -> AddressWatch? {
    do throws(SystemCallError) {
      return try AddressWatch()
    } catch {
      notices.yield(.addressesUnwatched(reason: "\(error)"))
      return nil
    }
  }

  /// Counts rounds of the loop; a watchdog wants it to grow.
  public var progress: UInt64 { rounds.value }

  /// Names all servers of a session that was made before they were known; unknown sessions are ignored.
  public func addServers(_ servers: [ICEServer], session: SessionHandle) {
    commands.push(.addServers(session: session, servers: servers))
  }

  /// Adds trickled candidates (the `candidate:` attribute's value); unknown sessions are ignored.
  public func addRemoteCandidates(_ candidates: [String], session: SessionHandle) {
    commands.push(.addRemoteCandidates(session: session, candidates: candidates))
  }

  /// Closes a session; no event follows.
  public func hangUp(session: SessionHandle) {
    commands.push(.hangUp(session: session))
  }

  /// Asks the session's peer for a key frame.
  public func requestKeyFrame(session: SessionHandle) {
    commands.push(.requestKeyFrame(session: session))
  }

  /// Makes the session send that many temporal layers of the video, 0 for a still image.
  public func setVideoLayers(_ count: Int, session: SessionHandle) {
    commands.push(.setVideoLayers(session: session, count: count))
  }

  /// Makes the session send the video of another source, from its next key frame on: 0 is that of ``localFrames``, with
  /// which each session begins, and those of ``furtherFrames`` follow.
  public func setVideoSource(_ source: Int, session: SessionHandle) {
    commands.push(.setVideoSource(session: session, source: source))
  }

  /// Copies what the session receives into `inbox` as well, from a key frame on.
  public func addRecorder(_ inbox: FrameInbox, session: SessionHandle) {
    commands.push(.addRecorder(session: session, inbox: inbox))
  }

  public func removeRecorder(_ inbox: FrameInbox, session: SessionHandle) {
    commands.push(.removeRecorder(session: session, inbox: inbox))
  }

  /// Sends the session the sound that is marked with this mix (``EncodedFrameHeader/mix``) instead of another; 0 is the
  /// device's own sound, with which each session begins.
  public func setMix(_ mix: UInt8, session: SessionHandle) {
    commands.push(.setMix(session: session, mix: mix))
  }

  /// Copies the sound that the session receives into `queue`, as it comes; nil ends that.
  public func setPlayout(_ queue: ReceivedSoundQueue?, session: SessionHandle) {
    commands.push(.setPlayout(session: session, queue: queue))
  }

  /// What each session has carried so far.
  public func statistics() async -> [SessionHandle: PeerSessionStatistics] {
    await withCheckedContinuation { continuation in
      commands.push(.readStatistics { continuation.resume(returning: $0) })
    }
  }

  /// Ends all sessions and the thread; call once, at the end.
  public func stop() {
    commands.push(.stop)
    thread.join()
  }
}

/// A counter that one thread raises and others read.
final class SharedCounter: Sendable {
  private let count = Atomic<UInt64>(0)
  var value: UInt64 { count.load(ordering: .relaxed) }
  func increment() { count.add(1, ordering: .relaxed) }
}
