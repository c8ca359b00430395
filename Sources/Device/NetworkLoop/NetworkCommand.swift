import ICE
import MediaCore
import PeerSession
import RealtimeRuntime
import SystemSupport
import Signalling

/// What control asks of the network thread.
enum NetworkCommand: Sendable {
  case open(OpenCommand)
  case negotiate(NegotiationCommand)
  case addServers(session: SessionHandle, servers: [ICEServer])
  case finishLookup(NameResolution)
  case addRemoteCandidates(session: SessionHandle, candidates: [String])
  case hangUp(session: SessionHandle)
  case requestKeyFrame(session: SessionHandle)
  case setVideoLayers(session: SessionHandle, count: Int)
  case setVideoSource(session: SessionHandle, source: Int)
  case addRecorder(session: SessionHandle, inbox: FrameInbox)
  case removeRecorder(session: SessionHandle, inbox: FrameInbox)
  case setMix(session: SessionHandle, mix: UInt8)
  case setPlayout(session: SessionHandle, queue: ReceivedSoundQueue?)
  case readStatistics(reply: @Sendable ([SessionHandle: PeerSessionStatistics]) -> Void)
  case stop
}

/// A session to make; `reply` is called exactly once, on the network thread.
struct OpenCommand: Sendable {
  let session: SessionHandle
  /// The peer's offer, or nil to make one.
  let offer: String?
  let publish: Set<MediaKind>
  let subscribe: Set<MediaKind>
  /// Of STUN and TURN; those of an offer to a peer that takes candidates later are named later.
  let servers: [ICEServer]
  /// Whether an offer names all candidates, since its peer takes none later.
  var isWhole = false
  let reply: @Sendable (Result<LocalDescription, any Error>) -> Void
}

/// A step in the negotiation of a session; `reply` is called exactly once, on the network thread.
struct NegotiationCommand: Sendable {
  enum Step: Sendable {
    /// Takes the peer's answer.
    case accept(answer: String)
    /// Answers a later offer of the peer.
    case renegotiate(offer: String)
  }

  let session: SessionHandle
  let step: Step
  let reply: @Sendable (Result<LocalDescription, any Error>) -> Void
}

extension NetworkCommand {
  /// What frees resources must arrive, however long the network thread hangs.
  fileprivate var isEssential: Bool {
    switch self {
    case .hangUp, .stop: true
    case .open, .negotiate, .addServers, .finishLookup, .addRemoteCandidates, .requestKeyFrame, .setVideoLayers,
      .setVideoSource, .addRecorder, .removeRecorder, .setMix, .setPlayout, .readStatistics:
      false
    }
  }

  /// The session that the command is about; nil where it is about none.
  fileprivate var session: SessionHandle? {
    switch self {
    case .open(let command): command.session
    case .negotiate(let command): command.session
    case .addServers(let session, _), .addRemoteCandidates(let session, _), .hangUp(let session),
      .requestKeyFrame(let session), .setVideoLayers(let session, _), .setVideoSource(let session, _),
      .addRecorder(let session, _), .removeRecorder(let session, _), .setMix(let session, _),
      .setPlayout(let session, _):
      session
    case .finishLookup, .readStatistics, .stop: nil
    }
  }

  /// Answers the waiting caller: it will not be carried out.
  func refuse(_ error: NetworkLoopError) {
    switch self {
    case .open(let command): command.reply(.failure(error))
    case .negotiate(let command): command.reply(.failure(error))
    case .readStatistics(let reply): reply([:])
    case .addServers, .finishLookup, .addRemoteCandidates, .hangUp, .requestKeyFrame, .setVideoLayers, .setVideoSource,
      .addRecorder, .removeRecorder, .setMix, .setPlayout, .stop:
      break
    }
  }
}

/// A bounded queue from control to the network thread.
///
/// When it is full, the network thread hangs: commands are refused but for those that free something, each of which takes the
/// place of all that waits for its session. Once it is closed, the thread has ended.
final class NetworkCommandQueue: Sendable {
  static let limit = 1024

  fileprivate struct State {
    var commands: [NetworkCommand] = []
    var isClosed = false
  }

  fileprivate let state = Mutex(State())
  let wake: EventDescriptor

  init() throws(SystemCallError) { wake = try EventDescriptor() }

  /// Queues a command, or refuses it; see ``NetworkCommand/refuse(_:)``.
  ///
  /// - Returns: whether it is queued.
  @discardableResult
  func push(_ command: NetworkCommand) -> Bool {
    let refused = state.withLock { $0.append(command) }
    wake.signal()
    for (command, error) in refused.others { command.refuse(error) }
    if let error = refused.own { command.refuse(error) }
    return refused.own == nil
  }

  func takeAll() -> [NetworkCommand] {
    state.withLock { state in
      defer { state.commands.removeAll() }
      return state.commands
    }
  }

  /// The network thread has ended: what waits, and all that comes, is refused.
  func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.commands.removeAll() }
      return state.commands
    }
    for command in waiting { command.refuse(.stopped) }
  }
}

extension NetworkCommandQueue.State {
  typealias Refused = (own: NetworkLoopError?, others: [(NetworkCommand, NetworkLoopError)])

  fileprivate mutating func append(_ command: NetworkCommand) -> Refused {
    guard !isClosed else { return (.stopped, []) }
    guard commands.count >= NetworkCommandQueue.limit else {
      commands.append(command)
      return (nil, [])
    }
    guard command.isEssential else { return (.unresponsive, []) }
    defer { commands.append(command) }
    guard let session = command.session else { return (nil, []) }
    let void = commands.filter { $0.session == session }
    commands.removeAll { $0.session == session }
    return (nil, void.map { ($0, .ended) })
  }
}
