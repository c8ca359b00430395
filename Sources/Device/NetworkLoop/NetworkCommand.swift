import ICE
import MediaCore
import PeerSession
import RealtimeRuntime
import Locking
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
  /// Of STUN and TURN; an offer's are named later.
  let servers: [ICEServer]
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

  let session: SessionHandle
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
