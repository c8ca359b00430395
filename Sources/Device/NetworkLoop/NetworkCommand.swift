import ICE
import MediaCore
import PeerSession
import RealtimeRuntime
import Synchronization

/// What control asks of the network thread.
enum NetworkCommand: Sendable {
  case answer(AnswerCommand)
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

/// An offer to answer; `reply` is called exactly once, on the network thread.
struct AnswerCommand: Sendable {
  let sessionID: String
  let offer: String
  let publish: Set<MediaKind>
  let subscribe: Set<MediaKind>
  let servers: [ICEServerDescription]
  let reply: @Sendable (Result<String, any Error>) -> Void
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
