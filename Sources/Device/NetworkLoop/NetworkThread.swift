import MediaCore
import PeerSession
import RealtimeRuntime
import SystemSupport
import TLSClient
import TransportCrypto

/// Carries the network thread's state to the thread that will own it.
///
/// Safety: made on one thread, handed over once at the start of the network thread, never touched elsewhere after.
struct NetworkThreadStart: @unchecked Sendable {
  let sockets: [UDPSocket]
  /// Nil where the kernel gives no such socket: then the addresses are those of the start.
  let addressWatch: AddressWatch?
  let localAddresses: LocalAddresses
  let configuration: NetworkLoopConfiguration
  let crypto: (any CryptoPrimitives, any DTLSAssociationMaking, any PacketProtectionMaking)
  let frames: FrameInbox
  let furtherFrames: [FrameInbox]
  let commands: NetworkCommandQueue
  let rounds: SharedCounter
  let reports: SessionReports
  let notices: AsyncStream<NetworkNotice>.Continuation
  let tls: TLSClient
  let resolver: NameResolver

  func run() {
    do {
      try NetworkThread(self).run()
    } catch {
      // Without epoll there is no network thread; control sees `progress` stand still and the watchdog ends the daemon.
      reports.finish()
      notices.finish()
    }
    commands.close()
  }
}

/// The network thread: waits for datagrams, frames, commands and deadlines, and feeds them to the sessions.
final class NetworkThread {
  private enum Token {
    static let commands: UInt64 = 0
    static let frames: UInt64 = 1
    static let timer: UInt64 = 2
    static let addresses: UInt64 = 3
    static let firstFurtherFrames: UInt64 = 8
    static let firstSocket: UInt64 = 16
    static let firstLink: UInt64 = 1 << 32
  }

  /// The longest wait: a watchdog sees that the loop keeps running.
  private static let longestRest = TimeSpan.seconds(5)

  /// Seeking in a recording needs what lies between the key frame before and the target.
  private static let recordedKeyFrameInterval = TimeSpan.seconds(10)

  private let start: NetworkThreadStart
  private let epoll: Epoll
  private let sender: SocketSender
  private let maker: PeerSessionFactory
  private let servers: ICEServerDriver
  private var addresses: HostAddresses
  private var answers = NonTrickleAnswers()
  private var table = PeerSessionTable()
  private var payloads = FramePayloadPool()
  private var isRunning = true

  init(_ start: NetworkThreadStart) throws(SystemCallError) {
    self.start = start
    epoll = try Epoll()
    let links = TURNConnections()
    sender = SocketSender(sockets: start.sockets, relays: links)
    maker = PeerSessionFactory(configuration: start.configuration, crypto: start.crypto, sender: sender)
    servers = ICEServerDriver(
      policy: start.configuration.transportPolicy, links: links, resolver: start.resolver, tls: start.tls,
      route: start.configuration.route, notices: start.notices)
    addresses = HostAddresses(start.localAddresses, sockets: start.sockets.map(\.address))
  }

  func run() throws {
    var timer = try DeadlineTimer()
    try epoll.add(start.commands.wake.fileDescriptor, token: Token.commands)
    try epoll.add(start.frames.wake.fileDescriptor, token: Token.frames)
    for (index, frames) in start.furtherFrames.enumerated() {
      try epoll.add(frames.wake.fileDescriptor, token: Token.firstFurtherFrames + UInt64(index))
    }
    try epoll.add(timer.fileDescriptor, token: Token.timer)
    if let addressWatch = start.addressWatch { try epoll.add(addressWatch.fileDescriptor, token: Token.addresses) }
    for (index, socket) in start.sockets.enumerated() {
      try epoll.add(socket.fileDescriptor, token: Token.firstSocket + UInt64(index))
    }
    while isRunning {
      epoll.wait { token in
        if token == Token.timer { timer.acknowledge() } else { handle(token) }
      }
      runDeadlines()
      serveTouchedSessions()
      servers.watchLinks(with: epoll, firstToken: Token.firstLink)
      sender.flush()
      reportFailures()
      timer.set(min(nextDeadline, MonotonicClock.now() + Self.longestRest))
      start.rounds.increment()
    }
    start.reports.finish()
    start.notices.finish()
  }

  private func handle(_ token: UInt64) {
    switch token {
    case Token.commands:
      start.commands.wake.drain()
      for command in start.commands.takeAll() {
        if isRunning { perform(command) } else { command.refuse(.stopped) }
      }
    case Token.frames:
      start.frames.wake.drain()
      sendFrames()
    case Token.firstFurtherFrames..<Token.firstSocket:
      sendFurtherFrames(Int(token - Token.firstFurtherFrames))
    case Token.addresses:
      start.addressWatch?.receive(now: MonotonicClock.now())
    case Token.firstLink...:
      servers.handleReady(TURNConnectionID(rawValue: UInt32(truncatingIfNeeded: token)), now: MonotonicClock.now())
    default:
      receive(from: start.sockets[Int(token - Token.firstSocket)])
    }
  }

  // MARK: Media

  private func sendFrames() {
    while sendFrame(start.frames.audio, source: 0) || sendFrame(start.frames.video, source: 0) {}
  }

  private func sendFurtherFrames(_ index: Int) {
    let frames = start.furtherFrames[index]
    frames.wake.drain()
    while sendFrame(frames.video, source: index + 1) {}
  }

  /// - Parameter source: of video; sessions are sent that of one.
  private func sendFrame(_ ring: FrameRing, source: Int) -> Bool {
    let isSent: Void? = ring.popFirst { header, payload in
      switch header.kind {
      case .audio: send(audio: header, payload: payload)
      case .video: send(video: header, payload: payload, source: source)
      }
    }
    return isSent != nil
  }

  private func send(audio header: EncodedFrameHeader, payload: RawSpan) {
    for running in table.all where running.mix == header.mix {
      running.session.send(audio: header, payload: payload, now: MonotonicClock.now())
    }
  }

  /// Copies the frame once for all sessions that keep it.
  private func send(video header: EncodedFrameHeader, payload: RawSpan, source: Int) {
    var copy: FramePayload?
    for running in table.all where running.videoSource == source && running.session.takesVideo {
      let shared = copy ?? payloads.copy(payload)
      copy = shared
      running.session.send(video: header, payload: shared, now: MonotonicClock.now())
    }
  }

  // MARK: Datagrams

  /// Takes at most a few batches, so that a flood cannot keep frames and deadlines waiting.
  private func receive(from socket: UDPSocket) {
    for _ in 0..<4 {
      let mayHaveMore = socket.receive { datagram, source, target in
        table.receive(&datagram, from: source, to: target, now: MonotonicClock.now())
      }
      if !mayHaveMore { return }
    }
  }

  // MARK: Deadlines and events

  private func runDeadlines() {
    let now = MonotonicClock.now()
    if start.addressWatch?.takeDue(now: now) == true { notifySessions(of: addresses.change(to: .read()), now: now) }
    for running in table.all where running.deadline <= now { running.session.handleTimeout(now: now) }
    servers.run(now: now)
    answers.sendLate(now: now)
  }

  private var nextDeadline: MonotonicInstant {
    let watching = start.addressWatch?.deadline ?? .distantFuture
    return table.all.reduce(min(watching, servers.deadline, answers.deadline)) { min($0, $1.deadline) }
  }

  /// New sessions offer the new addresses, running ones learn them and query their servers again.
  private func notifySessions(of change: HostAddresses.Change, now: MonotonicInstant) {
    for notice in change.notices { start.notices.yield(notice) }
    if change.hasNewCandidates {
      for running in table.all { running.session.changeLocalAddresses(addresses.candidates, now: now) }
      servers.renewReflexiveAddresses(now: now)
    }
    if change.hasNewRoutes { servers.renewRelays(among: addresses.current, now: now) }
  }

  /// Processes the sessions that this iteration has touched: their events, and when they want to be called next. What
  /// an event leads to may touch a session again.
  private func serveTouchedSessions() {
    for running in table.all {
      while let session = running.takeTouched() { drainEvents(of: session, running) }
    }
  }

  private func drainEvents(of session: PeerSession, _ running: RunningSession) {
    while let event = session.takeEvent() {
      if answers.handle(event, of: running) || servers.handle(event, now: MonotonicClock.now()) { continue }
      if event == .restartNeeded {
        offerRestart(running)
        continue
      }
      start.reports.report(event, of: running.handle)
      if case .ended = event { remove(running) }
    }
  }

  /// Offers a restart of ICE to the peer, unless an offer waits for its answer. It is reported before the candidates that
  /// belong to it, which would otherwise be taken for some of before it.
  private func offerRestart(_ running: RunningSession) {
    guard let offer = running.session.restartICE(now: MonotonicClock.now()) else { return }
    table.noteUsernames(of: running)
    start.reports.report(offer: offer, of: running.handle)
  }

  private func reportFailures() {
    for socket in start.sockets {
      while let code = socket.failures.takeUnreported() {
        start.notices.yield(.datagramsRefused(by: socket.address, errno: code))
      }
    }
  }

  // MARK: Commands

  private func perform(_ command: NetworkCommand) {
    switch command {
    case .open(let command):
      do { try open(command) } catch { command.reply(.failure(error)) }
    case .negotiate(let command):
      command.reply(Result { try negotiate(command) })
    case .addServers(let handle, let servers):
      if let running = table[handle] { self.servers.name(servers, for: running, now: MonotonicClock.now()) }
    case .finishLookup(let resolution):
      servers.finishLookup(resolution, now: MonotonicClock.now())
    case .addRemoteCandidates(let handle, let candidates):
      let now = MonotonicClock.now()
      for candidate in candidates { table[handle]?.session.addRemoteCandidate(candidate, now: now) }
    case .hangUp(let handle):
      hangUp(handle)
    case .requestKeyFrame(let handle):
      table[handle]?.session.requestKeyFrame(now: MonotonicClock.now())
    case .setVideoLayers(let handle, let count):
      table[handle]?.session.setVideoLayers(count)
    case .setVideoSource(let handle, let source):
      guard let running = table[handle], running.videoSource != source else { break }
      running.videoSource = source
      running.session.changeVideoSource()
    case .addRecorder(let handle, let inbox):
      guard let running = table[handle] else { break }
      running.frames.addRecorder(inbox)
      running.session.setKeyFrameInterval(Self.recordedKeyFrameInterval)
      running.session.requestKeyFrame(now: MonotonicClock.now())
    case .removeRecorder(let handle, let inbox):
      guard let running = table[handle] else { break }
      running.frames.removeRecorder(inbox)
      if !running.frames.hasRecorders { running.session.setKeyFrameInterval(nil) }
    case .setMix(let handle, let mix):
      table[handle]?.mix = mix
    case .setPlayout(let handle, let queue):
      table[handle]?.frames.playout = queue
    case .readStatistics(let reply):
      reply(Dictionary(table.all.map { ($0.handle, $0.session.statistics) }) { first, _ in first })
    case .stop:
      for running in table.all { hangUp(running.handle) }
      isRunning = false
    }
  }

  private func open(_ command: OpenCommand) throws {
    guard table[command.session] == nil else { throw NetworkLoopError.duplicateSession }
    guard table.all.count < start.configuration.maximumSessions else {
      throw NetworkLoopError.tooManySessions(limit: start.configuration.maximumSessions)
    }
    let now = MonotonicClock.now()
    let running = try maker.make(command, localAddresses: addresses.candidates, now: now)
    table.insert(running)
    deliverDescription(of: running, command, now: now)
    if !command.servers.isEmpty { servers.name(command.servers, for: running, now: now) }
  }

  /// Replies with the session's description: at once, or when its candidates are known if the peer takes none
  /// later.
  private func deliverDescription(of running: RunningSession, _ command: OpenCommand, now: MonotonicInstant) {
    let description = LocalDescription(of: running.session)
    let isWhole = command.offer == nil ? command.isWhole : !running.session.isTrickling
    guard isWhole, !command.servers.isEmpty else {
      return command.reply(.success(description))
    }
    answers.hold(NonTrickleAnswer(of: running, now: now, reply: command.reply))
  }

  private func negotiate(_ command: NegotiationCommand) throws -> LocalDescription {
    guard let running = table[command.session] else { throw NetworkLoopError.unknownSession }
    let session = running.session
    let now = MonotonicClock.now()
    switch command.step {
    case .accept(let answer): try session.accept(answer: answer, now: now)
    case .renegotiate(let offer): _ = try session.renegotiate(offer: offer, now: now)
    }
    table.noteUsernames(of: running)
    return LocalDescription(of: session)
  }

  private func hangUp(_ handle: SessionHandle) {
    guard let running = table[handle] else { return }
    running.session.close(now: MonotonicClock.now())
    remove(running)
  }

  private func remove(_ running: RunningSession) {
    answers.cancel(of: running)
    servers.remove(running, now: MonotonicClock.now())
    table.remove(running)
    start.reports.forget(running.handle)
  }
}
