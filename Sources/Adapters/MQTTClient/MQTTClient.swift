import CLinux
import Glibc
import MediaCore
public import SystemSupport

/// A client of an MQTT broker: keeps a connection, hands messages over at least once, and receives what it subscribes to.
///
/// One thread does all that waits, the lookup of the broker's name and TLS included. It sleeps until there is something to
/// send or to receive, or the connection is to be probed. Messages wait in a bounded queue while the broker is away.
public final class MQTTClient: Sendable {
  /// What happens, reported on the client's thread, in order; do not block it.
  public enum Event: Sendable {
    /// The broker has let the client in: whatever it is to know is to be sent now.
    case connected
    case message(MQTTMessage)
    /// The broker does not let the client subscribe to a topic.
    case subscriptionRefused(topic: String)
    /// The broker does not let the client publish to a topic; MQTT 3.1.1 has brokers keep that to themselves.
    case publicationRefused(topic: String)
    /// Comes each time the connection is probed, for work that can wait for such a moment.
    case probed
    case failed(MQTTFailure)
  }

  /// What has been counted since the start.
  public struct Counters: Sendable, Hashable {
    public var isConnected = false
    public var connections = 0
    public var sent = 0
    public var received = 0
    /// Messages that waited too long, or were too many.
    public var dropped = 0
    public var waiting = 0
  }

  private let shared: ClientState
  private let thread = ReaderThread()

  /// - Parameters:
  ///   - topics: what is subscribed to, wildcards included.
  ///   - credentials: read before each attempt to connect; throws ``MQTTFailure/unreadable(_:)``.
  public init(
    _ broker: MQTTBroker, topics: [String],
    credentials: @escaping @Sendable () throws(MQTTFailure) -> MQTTCredentials? = { () throws(MQTTFailure) in nil },
    onEvent: @escaping @Sendable (Event) -> Void
  ) {
    shared = ClientState(broker: broker, topics: topics, credentials: credentials, onEvent: onEvent)
  }

  deinit { thread.stop() }

  /// - Throws: when no thread can be started.
  public func start() throws(SystemCallError) {
    try thread.start(name: "mqtt") { [shared, thread] in ClientLoop(shared, thread).run() }
  }

  /// Ends the connection; the thread sends what the broker is to know at last, for a second at most.
  public func stop(last message: MQTTMessage? = nil) {
    shared.outbox.withLock { $0.farewell = message }
    thread.stop()
  }

  /// Queues a message; returns at once.
  public func send(_ message: MQTTMessage, _ kind: MessageKind) {
    shared.outbox.withLock { $0.queue.add(message, kind, now: .monotonic()) }
    shared.ring()
  }

  /// Whether ``stop(last:)`` is done.
  public var hasStopped: Bool { shared.outbox.withLock { $0.hasStopped } }

  public var counters: Counters {
    shared.outbox.withLock { outbox in
      var counters = outbox.counters
      (counters.dropped, counters.waiting) = (outbox.queue.dropped, outbox.queue.waitingCount)
      return counters
    }
  }
}

/// What the client's thread and its callers share.
final class ClientState: Sendable {
  struct Waiting: Sendable {
    var queue = Outbox()
    var counters = MQTTClient.Counters()
    var farewell: MQTTMessage?
    var hasStopped = false
  }

  let broker: MQTTBroker
  let topics: [String]
  let credentials: @Sendable () throws(MQTTFailure) -> MQTTCredentials?
  let onEvent: @Sendable (MQTTClient.Event) -> Void
  let outbox = Mutex(Waiting())
  /// Readable when there is something to send; -1 if there is none.
  let bell = ls_eventfd()

  init(
    broker: MQTTBroker, topics: [String],
    credentials: @escaping @Sendable () throws(MQTTFailure) -> MQTTCredentials?,
    onEvent: @escaping @Sendable (MQTTClient.Event) -> Void
  ) {
    (self.broker, self.topics, self.credentials, self.onEvent) = (broker, topics, credentials, onEvent)
  }

  deinit { if bell >= 0 { close(bell) } }

  func ring() {
    var one: UInt64 = 1
    _ = write(bell, &one, 8)
  }

  func silence() {
    var count: UInt64 = 0
    _ = read(bell, &count, 8)
  }
}

extension MonotonicInstant {
  /// CLOCK_MONOTONIC.
  static func monotonic() -> MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}
