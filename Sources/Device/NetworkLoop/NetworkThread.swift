import MediaCore
import PeerSession
import RealtimeRuntime
import TransportCrypto

/// Carries the network thread's state to the thread that will own it.
///
/// Safety: made on one thread, handed over once at the start of the network thread, never touched elsewhere after.
struct NetworkThreadStart: @unchecked Sendable {
  let sockets: [UDPSocket]
  let configuration: NetworkLoopConfiguration
  let crypto: (any CryptoPrimitives, any DTLSAssociationMaking, any PacketProtectionMaking)
  let frames: FrameInbox
  let commands: NetworkCommandQueue
  let rounds: SharedCounter
  let events: AsyncStream<NetworkEvent>.Continuation

  func run() {
    do {
      try NetworkThread(self).run()
    } catch {
      // Without epoll there is no network thread; control sees `progress` stand still and the watchdog ends the daemon.
      events.finish()
    }
  }
}

/// The network thread: waits for datagrams, frames, commands and deadlines, and feeds them to the sessions.
final class NetworkThread {
  private enum Token {
    static let commands: UInt64 = 0
    static let frames: UInt64 = 1
    static let timer: UInt64 = 2
    static let firstSocket: UInt64 = 16
  }

  /// The longest rest: a watchdog sees that the loop turns.
  private static let idleTurn = TimeSpan.seconds(5)

  let start: NetworkThreadStart
  let sender: SocketSender
  let localCandidates: [TransportAddress]
  var table = SessionTable()
  private var isRunning = true

  init(_ start: NetworkThreadStart) {
    self.start = start
    sender = SocketSender(sockets: start.sockets)
    localCandidates = start.sockets.flatMap { LocalAddresses.candidates(for: $0.address) }
  }

  func run() throws {
    let epoll = try Epoll()
    var timer = try DeadlineTimer()
    try epoll.add(start.commands.wake.fileDescriptor, token: Token.commands)
    try epoll.add(start.frames.wake.fileDescriptor, token: Token.frames)
    try epoll.add(timer.fileDescriptor, token: Token.timer)
    for (index, socket) in start.sockets.enumerated() {
      try epoll.add(socket.fileDescriptor, token: Token.firstSocket + UInt64(index))
    }
    while isRunning {
      epoll.wait { token in
        if token == Token.timer { timer.acknowledge() } else { handle(token) }
      }
      runDeadlines()
      drainEvents()
      timer.set(min(nextDeadline(), MonotonicClock.now() + Self.idleTurn))
      start.rounds.increment()
    }
    start.events.finish()
  }

  private func handle(_ token: UInt64) {
    switch token {
    case Token.commands:
      start.commands.wake.drain()
      for command in start.commands.takeAll() { perform(command) }
    case Token.frames:
      start.frames.wake.drain()
      sendFrames()
    default:
      receive(from: start.sockets[Int(token - Token.firstSocket)])
    }
  }

  // MARK: Media

  private func sendFrames() {
    while sendFrame(start.frames.audio) || sendFrame(start.frames.video) {}
  }

  private func sendFrame(_ ring: FrameRing) -> Bool {
    let isSent: Void? = ring.popFirst { header, payload in
      let now = MonotonicClock.now()
      for running in table.all { running.session.send(header, payload: payload, now: now) }
    }
    return isSent != nil
  }

  // MARK: Datagrams

  /// Takes at most a few batches, so that a flood cannot keep frames and deadlines waiting.
  private func receive(from socket: UDPSocket) {
    for _ in 0..<4 {
      let mayHaveMore = socket.receive { datagram, source, target in
        dispatch(&datagram, from: source, to: target)
      }
      if !mayHaveMore { return }
    }
  }

  private func dispatch(_ datagram: inout MutableRawSpan, from source: TransportAddress, to target: TransportAddress) {
    let now = MonotonicClock.now()
    if let username = PeerSession.usernameFragment(addressedBy: datagram.bytes) {
      guard let running = table.session(username: username) else { return }
      if running.session.receive(&datagram, from: source, to: target, now: now) {
        table.associate(source, with: running)
      }
    } else if let running = table.session(at: source) {
      running.session.receive(&datagram, from: source, to: target, now: now)
      table.listSources(of: running)
    } else if PeerSession.isCheckResponse(datagram.bytes) {
      receiveCheckResponse(&datagram, from: source, to: target, now: now)
    } else if let running = table.session(claimedBy: datagram.bytes) {
      receiveStray(&datagram, of: running, from: source, to: target, now: now)
    }
  }

  /// A peer that has moved goes on sending before it checks the new path; only what proves authentic makes a difference.
  private func receiveStray(
    _ datagram: inout MutableRawSpan, of running: RunningSession, from source: TransportAddress,
    to target: TransportAddress, now: MonotonicInstant
  ) {
    guard running.strays.admits(now: now) else { return }
    if running.session.receive(&datagram, from: source, to: target, now: now) {
      table.associate(source, with: running)
    } else {
      running.strays.noteFailure()
    }
  }

  /// A response names no session, only a transaction: the session that started it recognises it.
  private func receiveCheckResponse(
    _ datagram: inout MutableRawSpan, from source: TransportAddress, to target: TransportAddress, now: MonotonicInstant
  ) {
    for running in table.all where running.session.receive(&datagram, from: source, to: target, now: now) {
      table.associate(source, with: running)
      return
    }
  }

  // MARK: Deadlines and events

  private func runDeadlines() {
    let now = MonotonicClock.now()
    for running in table.all where running.session.deadline <= now { running.session.handleTimeout(now: now) }
  }

  private func nextDeadline() -> MonotonicInstant {
    table.all.reduce(.distantFuture) { min($0, $1.session.deadline) }
  }

  private func drainEvents() {
    for running in table.all {
      while let event = running.session.takeEvent() {
        start.events.yield(NetworkEvent(sessionID: running.sessionID, event: event))
        if case .ended = event { table.remove(running) }
      }
    }
  }

  // MARK: Commands

  private func perform(_ command: NetworkCommand) {
    switch command {
    case .answer(let command):
      command.reply(Result { try answer(command) })
    case .addRemoteCandidates(let sessionID, let candidates):
      let now = MonotonicClock.now()
      for candidate in candidates { table[sessionID]?.session.addRemoteCandidate(candidate, now: now) }
    case .hangUp(let sessionID):
      hangUp(sessionID)
    case .requestKeyFrame(let sessionID):
      table[sessionID]?.session.requestKeyFrame(now: MonotonicClock.now())
    case .setVideoLayers(let sessionID, let count):
      table[sessionID]?.session.setVideoLayers(count)
    case .setRecorder(let sessionID, let inbox):
      table[sessionID]?.frames.recorder = inbox
      if inbox != nil { table[sessionID]?.session.requestKeyFrame(now: MonotonicClock.now()) }
    case .setPlayout(let sessionID, let inbox):
      table[sessionID]?.frames.playout = inbox
    case .readStatistics(let reply):
      reply(Dictionary(table.all.map { ($0.sessionID, $0.session.statistics) }) { first, _ in first })
    case .stop:
      for running in table.all { hangUp(running.sessionID) }
      isRunning = false
    }
  }

  private func answer(_ command: AnswerCommand) throws -> String {
    guard table[command.sessionID] == nil else { throw NetworkLoopError.duplicateSession }
    guard table.all.count < start.configuration.maximumSessions else {
      throw NetworkLoopError.tooManySessions(limit: start.configuration.maximumSessions)
    }
    let frames = ReceivedFrameFanOut()
    let (primitives, dtls, protection) = start.crypto
    let session = try PeerSession(
      offer: command.offer,
      configuration: PeerSessionConfiguration(
        localAddresses: localCandidates, publish: command.publish, subscribe: command.subscribe,
        cname: start.configuration.cname, sendLimit: start.configuration.sendLimit),
      dependencies: PeerSessionDependencies(
        crypto: primitives, dtls: dtls, protection: protection, network: sender, frames: frames),
      now: MonotonicClock.now())
    table.insert(RunningSession(sessionID: command.sessionID, session: session, frames: frames))
    return session.answer
  }

  private func hangUp(_ sessionID: String) {
    guard let running = table[sessionID] else { return }
    running.session.close(now: MonotonicClock.now())
    table.remove(running)
  }
}
