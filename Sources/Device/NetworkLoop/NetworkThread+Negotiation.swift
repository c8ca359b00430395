import MediaCore
import PeerSession
import RealtimeRuntime

/// Offers and answers, which make sessions and change them.
extension NetworkThread {
  func open(_ command: OpenCommand) throws {
    guard table[command.sessionID] == nil else { throw NetworkLoopError.duplicateSession }
    guard table.all.count < start.configuration.maximumSessions else {
      throw NetworkLoopError.tooManySessions(limit: start.configuration.maximumSessions)
    }
    try requireRelay(command)
    let frames = ReceivedFrameFanOut()
    let session = try makeSession(command, frames: frames)
    let running = RunningSession(sessionID: command.sessionID, session: session, frames: frames)
    table.insert(running)
    let now = MonotonicClock.now()
    deliverDescription(of: running, command, now: now)
    if !command.servers.isEmpty { open(command.servers, for: running, now: now) }
  }

  private func makeSession(_ command: OpenCommand, frames: ReceivedFrameFanOut) throws -> PeerSession {
    let (primitives, dtls, protection) = start.crypto
    let configuration = PeerSessionConfiguration(
      localAddresses: localCandidates, publish: command.publish, subscribe: command.subscribe,
      cname: start.configuration.cname, receiveLimit: start.configuration.receiveLimit,
      sendLimit: start.configuration.sendLimit,
      transportPolicy: start.configuration.transportPolicy,
      // Those of a call that this side places are named once the hub knows the call.
      namesServers: command.offer == nil || !command.servers.isEmpty)
    let dependencies = PeerSessionDependencies(
      crypto: primitives, dtls: dtls, protection: protection, network: sender, frames: frames)
    let now = MonotonicClock.now()
    guard let offer = command.offer else {
      return PeerSession(offering: configuration, dependencies: dependencies, now: now)
    }
    return try PeerSession(offer: offer, configuration: configuration, dependencies: dependencies, now: now)
  }

  func negotiate(_ command: NegotiationCommand) throws -> LocalDescription {
    guard let running = table[command.sessionID] else { throw NetworkLoopError.unknownSession }
    let session = running.session
    let now = MonotonicClock.now()
    switch command.step {
    case .accept(let answer): try session.accept(answer: answer, now: now)
    case .renegotiate(let offer): _ = try session.renegotiate(offer: offer, now: now)
    case .restartICE: guard session.restartICE(now: now) != nil else { throw PeerSessionError.offerPending }
    }
    table.noteUsernames(of: running)
    return LocalDescription(of: session)
  }
}

extension LocalDescription {
  init(of session: PeerSession) {
    self.init(sdp: session.localDescription, sends: session.sentKinds, unbundledKinds: session.unbundledKinds)
  }
}
