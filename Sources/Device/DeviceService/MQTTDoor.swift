import CallEngine
import CallPolicy
import ControlMessages
import DeviceActions
import DeviceConfiguration
import DeviceEvents
import EngineControl
import Logging
import MediaCore
import MediaPlaneAPI
import MQTTClient
import RealtimeRuntime
import Signalling
import SystemSupport

/// The device at an MQTT broker. Nothing depends on it: what fails is a problem in the status, and it tries again.
final class MQTTDoor: ProblemReporting, MQTTReporting {
  /// What the door reads and has done.
  struct Device: Sendable {
    var engine: CallEngine
    var control: EngineControl
    var actions: ActionService
    var events: EventCenter
  }

  private struct State {
    var problem: ProblemStatus?
    var client: MQTTClient?
    var allowance = CommandAllowance()
    var refusedCommands = 0
  }

  let settings: MQTTSettings
  let configuration: DeviceConfiguration
  let topics: EntityTopics
  let version: String
  let logger: Logger
  /// The device's position as others may know it.
  let position = Mutex<UserLocation?>(nil)
  private let credentialsDirectory: String?
  private let state = Mutex(State())

  init(_ configuration: DeviceConfiguration, version: String, credentialsDirectory: String?, _ logger: Logger) {
    (settings, self.configuration, self.version) = (configuration.mqtt, configuration, version)
    (self.credentialsDirectory, self.logger) = (credentialsDirectory, logger)
    topics = EntityTopics(settings, title: configuration.identity.title)
  }

  var problem: ProblemStatus? { state.withLock { $0.problem } }

  var mqttStatus: MQTTStatus? {
    guard let broker = settings.broker else { return nil }
    var status = MQTTStatus(broker: "\(broker.endpoint)")
    let (client, refused) = state.withLock { ($0.client, $0.refusedCommands) }
    status.refusedCommands = refused
    guard let counters = client?.counters else { return status }
    (status.isConnected, status.connections) = (counters.isConnected, counters.connections)
    (status.sentMessages, status.receivedMessages) = (counters.sent, counters.received)
    (status.waitingMessages, status.droppedMessages) = (counters.waiting, counters.dropped)
    return status
  }

  /// Connects, and serves until the task is cancelled.
  func run(_ device: Device) async {
    guard let broker = settings.broker else { return }
    let (inputs, sink) = AsyncStream.makeStream(of: MQTTExchange.Input.self, bufferingPolicy: .bufferingOldest(1_024))
    let client = makeClient(broker) { [weak self] event in
      if self?.admits(event) == true { sink.yield(.broker(event)) }
    }
    state.withLock { $0.client = client }
    do {
      try client.start()
    } catch {
      return note("no thread for MQTT can be started: \(error)")
    }
    await withDiscardingTaskGroup { group in
      group.addTask {
        for await event in device.engine.events() { sink.yield(.engine(event)) }
      }
      await MQTTExchange(self, device, client, sink).run(inputs)
      group.cancelAll()
    }
    await Self.stop(client, topics)
  }

  /// Waits a second at most for the broker to be told.
  private static func stop(_ client: MQTTClient, _ topics: EntityTopics) async {
    client.stop(last: MQTTMessage(topic: topics.availability, text: "offline", isRetained: true))
    for _ in 0..<20 where !client.hasStopped { await Self.rest(.milliseconds(50)) }
  }

  /// Also in a task that is cancelled.
  private static func rest(_ span: Duration) async { await Task { try? await Task.sleep(for: span) }.value }

  // MARK: The connection

  private func makeClient(
    _ place: MQTTSettings.Broker, onEvent: @escaping @Sendable (MQTTClient.Event) -> Void
  ) -> MQTTClient {
    let (settings, directory) = (settings, credentialsDirectory)
    return MQTTClient(
      MQTTBroker(settings, place, topics),
      topics: [topics.commands, topics.homeAssistantStatus, topics.availability],
      credentials: { () throws(MQTTFailure) in try settings.credentials(directory) }, onEvent: onEvent)
  }

  /// Whether an event is to be looked at: on the client's thread, so that a flood of messages goes no further.
  private func admits(_ event: MQTTClient.Event) -> Bool {
    guard case .message(let message) = event, message.topic != topics.availability else { return true }
    let now = MonotonicClock.now().nanoseconds / 1_000_000
    let verdict = state.withLock { state in
      let verdict = state.allowance.take(now: now)
      if verdict != .allowed { state.refusedCommands += 1 }
      return verdict
    }
    if verdict == .refused(isFirst: true) {
      logger.warning("mqtt: commands come faster than one a second: those that follow are ignored until it is less")
    }
    return verdict == .allowed
  }

  func countRefusal() { state.withLock { $0.refusedCommands += 1 } }

  // MARK: Problems

  func note(_ text: String) {
    let isNew = state.withLock { state in
      guard state.problem?.lasts != true || state.problem?.text != text else { return false }
      state.problem = ProblemStatus(part: .mqtt, text: text, since: wallClockMilliseconds())
      return true
    }
    if isNew { logger.error("mqtt: \(text)") }
  }

  func endProblem() {
    let hasEnded = state.withLock { state in
      guard state.problem?.lasts == true else { return false }
      state.problem?.until = wallClockMilliseconds()
      return true
    }
    if hasEnded { logger.notice("mqtt: all is well again") }
  }
}
