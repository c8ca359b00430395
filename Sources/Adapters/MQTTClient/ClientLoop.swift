import Glibc
import MediaCore
import SystemSupport

/// The client's thread: connects, sends and receives, and after a break connects again with growing pauses.
struct ClientLoop {
  /// Handed over and not acknowledged at once; fewer than the 20 beyond which the library queues by itself.
  private static let maxInFlight = 16

  /// A connection that has lasted so long was none that the broker takes back at once.
  private static let lastingConnection = TimeSpan.seconds(60)

  private let state: ClientState
  private let thread: ReaderThread

  init(_ state: ClientState, _ thread: ReaderThread) {
    (self.state, self.thread) = (state, thread)
  }

  func run() {
    var pauses = Backoff(initial: .seconds(1), maximum: .seconds(60))
    while thread.isRunning {
      let began = MonotonicInstant.monotonic()
      do throws(MQTTFailure) {
        let session = try MosquittoSession(state.broker, try state.credentials())
        try attempt(session)
      } catch {
        state.onEvent(.failed(error))
      }
      if MonotonicInstant.monotonic() - began >= Self.lastingConnection { pauses.reset() }
      state.outbox.withLock {
        $0.counters.isConnected = false
        $0.queue.requeue()
      }
      let pause = pauses.next()
      // Half of it is random, so that a fleet does not come back at once.
      thread.rest(milliseconds: pause.milliseconds / 2 + Int64.random(in: 0...max(1, pause.milliseconds / 2)))
    }
    state.outbox.withLock { $0.hasStopped = true }
  }

  /// Serves one connection; says of one that never came about what may be wrong.
  private func attempt(_ session: MosquittoSession) throws(MQTTFailure) {
    do throws(MQTTFailure) {
      try serve(session)
    } catch .lost(_) where !state.outbox.withLock({ $0.counters.isConnected }) {
      // How exactly it ends depends on who is faster: one text for all.
      guard session.received > 0, state.broker.tls != nil else { throw .unreachable("connections end at once") }
      throw .cutOff
    }
  }

  /// Serves one connection until it breaks, or the client is stopped.
  private func serve(_ session: MosquittoSession) throws(MQTTFailure) {
    let broker = state.broker
    let now = MonotonicInstant.monotonic()
    var times = SessionTimes(keepAlive: .seconds(Int64(broker.keepAlive)), now: now)
    var budget = ReceiveBudget(now: now)
    var subscriptions: [Int32: String] = [:]
    try session.connect(host: broker.host, port: broker.port, keepAlive: broker.keepAlive)
    while true {
      let ready = wait(for: session, until: times.nextDeadline)
      guard thread.isRunning else { return sayFarewell(session) }
      let now = MonotonicInstant.monotonic()
      guard budget.allows(total: session.received, now: now) else { throw .tooMuchData }
      var steps = try step(session, ready)
      if times.isProbeDue(now: now) {
        steps += session.maintain()
        times.didAsk(now: now)
      }
      for step in steps {
        if case .connected = step {
          times.didConnect(now: now)
          subscriptions = try subscribe(session)
        }
        try take(step, &subscriptions)
      }
      if ready.isReadable { times.didHear(isMoreAwaited: isAnswerAwaited, now: now) }
      guard !times.isSilent(now: now) else { throw .silent }
      if times.takeProbe(now: now) { state.onEvent(.probed) }
      if try sendWaiting(session, now: now) { times.didAsk(now: now) }
    }
  }

  private var isAnswerAwaited: Bool { state.outbox.withLock { $0.queue.inFlightCount > 0 } }

  // MARK: Waiting

  private struct Ready {
    var isReadable = false
    var isWritable = false
  }

  private func wait(for session: MosquittoSession, until deadline: MonotonicInstant) -> Ready {
    let output = session.wantsOutput ? Int16(POLLOUT) : 0
    var entries = [
      pollfd(fd: session.descriptor, events: Int16(POLLIN) | output, revents: 0),
      pollfd(fd: state.bell, events: Int16(POLLIN), revents: 0),
      pollfd(fd: thread.alarm, events: Int16(POLLIN), revents: 0),
    ]
    let left = (deadline - .monotonic()).milliseconds.saturatingAdding(1)
    poll(&entries, 3, CInt(clamping: max(0, left)))
    if entries[1].revents != 0 { state.silence() }
    let events = entries[0].revents
    return Ready(
      isReadable: events & Int16(POLLIN | POLLERR | POLLHUP) != 0, isWritable: events & Int16(POLLOUT) != 0)
  }

  private func step(_ session: MosquittoSession, _ ready: Ready) throws(MQTTFailure) -> [MosquittoSession.Step] {
    var steps: [MosquittoSession.Step] = []
    if ready.isReadable {
      try checkSocket(session)
      steps += session.read()
    }
    if ready.isWritable { steps += session.write() }
    return steps
  }

  /// While TLS is being set up the library takes no notice of a connection that has failed or ended.
  private func checkSocket(_ session: MosquittoSession) throws(MQTTFailure) {
    var (code, length) = (CInt(0), socklen_t(MemoryLayout<CInt>.size))
    getsockopt(session.descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
    guard code == 0 || code == ECONNRESET else { throw .unreachable(String(cString: strerror(code))) }
    var octet: UInt8 = 0
    guard recv(session.descriptor, &octet, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) != 0 else {
      throw .lost("the broker has closed it")
    }
  }

  // MARK: What happens

  private func subscribe(_ session: MosquittoSession) throws(MQTTFailure) -> [Int32: String] {
    var subscriptions: [Int32: String] = [:]
    for topic in state.topics { subscriptions[try session.subscribe(topic)] = topic }
    return subscriptions
  }

  private func take(_ step: MosquittoSession.Step, _ subscriptions: inout [Int32: String]) throws(MQTTFailure) {
    switch step {
    case .connected:
      state.outbox.withLock {
        $0.counters.isConnected = true
        $0.counters.connections += 1
      }
      state.onEvent(.connected)
    case .acknowledged(let id, let isRefused):
      let topic = state.outbox.withLock { outbox in
        outbox.counters.sent += 1
        return outbox.queue.didAcknowledge(id: id)
      }
      if isRefused, let topic { state.onEvent(.publicationRefused(topic: topic)) }
    case .message(let message):
      state.outbox.withLock { $0.counters.received += 1 }
      state.onEvent(.message(message))
    case .subscribed(let id, let isGranted):
      if let topic = subscriptions.removeValue(forKey: id), !isGranted {
        state.onEvent(.subscriptionRefused(topic: topic))
      }
    case .failed(let failure): throw failure
    }
  }

  /// Hands over what waits; returns whether anything was.
  private func sendWaiting(_ session: MosquittoSession, now: MonotonicInstant) throws(MQTTFailure) -> Bool {
    var hasSent = false
    while !session.wantsOutput, let message = nextMessage(now: now) {
      do throws(MQTTFailure) {
        let id = try session.publish(message)
        state.outbox.withLock { $0.queue.didSend(id: id) }
        hasSent = true
      } catch .library(_, _) {
        // Too large for this broker, or a topic that it cannot have.
        state.outbox.withLock { $0.queue.discardNext() }
      }
    }
    return hasSent
  }

  private func nextMessage(now: MonotonicInstant) -> MQTTMessage? {
    state.outbox.withLock { outbox in
      guard outbox.counters.isConnected, outbox.queue.inFlightCount < Self.maxInFlight else { return nil }
      return outbox.queue.next(now: now)
    }
  }

  private func sayFarewell(_ session: MosquittoSession) {
    let isConnected = state.outbox.withLock { $0.counters.isConnected }
    if isConnected, let farewell = state.outbox.withLock({ $0.farewell }) { _ = try? session.publish(farewell) }
    session.disconnect()
  }
}
