import ICE
import MediaCore
import PeerSession
import RealtimeRuntime
import Locking

/// What control asks of the network thread.
enum NetworkCommand: Sendable {
  case open(OpenCommand)
  case negotiate(NegotiationCommand)
  case addServers(sessionID: String, servers: [ICEServerDescription])
  case finishLookup(NameResolution)
  case addRemoteCandidates(sessionID: String, candidates: [String])
  case hangUp(sessionID: String)
  case requestKeyFrame(sessionID: String)
  case setVideoLayers(sessionID: String, count: Int)
  case setRecorder(sessionID: String, inbox: FrameInbox?)
  case setPlayout(sessionID: String, inbox: FrameInbox?)
  case readStatistics(reply: @Sendable ([String: PeerSessionStatistics]) -> Void)
  case stop
}

/// A session to make; `reply` is called exactly once, on the network thread.
struct OpenCommand: Sendable {
  let sessionID: String
  /// The peer's offer, or nil to make one.
  let offer: String?
  let publish: Set<MediaKind>
  let subscribe: Set<MediaKind>
  /// Of STUN and TURN; an offer's are named later.
  let servers: [ICEServerDescription]
  let reply: @Sendable (Result<LocalDescription, any Error>) -> Void
}

/// A step in the negotiation of a session; `reply` is called exactly once, on the network thread.
struct NegotiationCommand: Sendable {
  enum Step: Sendable {
    /// Takes the peer's answer.
    case accept(answer: String)
    /// Answers a later offer of the peer.
    case renegotiate(offer: String)
    /// Makes an offer that restarts ICE.
    case restartICE
  }

  let sessionID: String
  let step: Step
  let reply: @Sendable (Result<LocalDescription, any Error>) -> Void
}

/// A bounded queue from control to the network thread.
final class NetworkCommandQueue: Sendable {
  private static let limit = 1024
  private let commands = Mutex<[NetworkCommand]>([])
  let wake: EventDescriptor

  init() throws(SystemCallError) { wake = try EventDescriptor() }

  /// Returns false when the queue is full: the network thread hangs or is gone.
  func push(_ command: NetworkCommand) -> Bool {
    let isQueued = commands.withLock { commands in
      guard commands.count < Self.limit else { return false }
      commands.append(command)
      return true
    }
    wake.signal()
    return isQueued
  }

  func takeAll() -> [NetworkCommand] {
    commands.withLock { commands in
      defer { commands.removeAll() }
      return commands
    }
  }
}
