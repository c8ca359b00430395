import CallEngine
import CallPolicy
import ControlMessages
import DeviceActions
import DeviceConfiguration
import DeviceEvents
import EngineControl
import EventDetection
import Logging
import MediaCore
import MQTTClient
import RealtimeRuntime
import Signalling
import SystemSupport

/// What goes to and fro between the device and the broker, one thing after the other.
actor MQTTExchange {
  enum Input: Sendable {
    case broker(MQTTClient.Event)
    case engine(EngineEvent)
    /// A command has been carried out, or refused.
    case commandDone
  }

  private static let maxImage: Int64 = 512 << 10
  private static let maxRecord = 32 << 10
  private static let maxCommands = 4
  /// How long a lock is shown open whose action is no pulse.
  private static let programUnlockTime = Duration.seconds(5)

  private let door: MQTTDoor
  private let device: MQTTDoor.Device
  private let client: MQTTClient
  private let sink: AsyncStream<Input>.Continuation
  private let documents: DiscoveryDocuments
  private let recordPath: String
  private var states: EntityStates
  private var record: DiscoveryDocuments.Record?
  /// Of this connection: whether the device's own message came back.
  private var isHeard = false
  private var isRefusalNoted = false
  private var isConnected = false
  private var hasTemperature = false
  private var runningCommands = 0
  /// What takes no time is done in order, so that on and off end as they came; programs may take long.
  private var lastQuickCommand: Task<Void, Never>?
  private var nextSnapshot = MonotonicInstant(nanoseconds: 0)
  private var isTakingSnapshot = false

  init(
    _ door: MQTTDoor, _ device: MQTTDoor.Device, _ client: MQTTClient, _ sink: AsyncStream<Input>.Continuation
  ) {
    (self.door, self.device, self.client, self.sink) = (door, device, client, sink)
    documents = DiscoveryDocuments(
      door.settings.discovery, door.topics, title: door.configuration.identity.title, version: door.version)
    recordPath = "\(door.configuration.identity.stateDirectory)/mqtt-discovery"
    let buttons = door.configuration.buttons.filter { $0.call != nil }.map(\.name)
    states = EntityStates(EntityPlan(topics: door.topics), buttons: Set(buttons))
  }

  func run(_ inputs: AsyncStream<Input>) async {
    for await input in inputs {
      guard !Task.isCancelled else { return }
      await take(input)
    }
  }

  private func take(_ input: Input) async {
    switch input {
    case .broker(let event): await take(event)
    case .engine(let event): await take(event)
    case .commandDone:
      runningCommands -= 1
      await refresh(withFigures: false)
    }
  }

  // MARK: The broker

  private func take(_ event: MQTTClient.Event) async {
    switch event {
    case .connected:
      (isConnected, isHeard, isRefusalNoted) = (true, false, false)
      door.endProblem()
      await announce()
    case .message(let message): await take(message)
    case .subscriptionRefused(let topic): noteRefusal("subscribe", topic)
    case .publicationRefused(let topic): noteRefusal("publish", topic)
    case .probed:
      checkEcho()
      await refresh(withFigures: true)
      await takeSnapshot()
    case .failed(let failure): take(failure)
    }
  }

  /// A connection that is lost and back at once is no problem; why it does not come back says the next attempt.
  private func take(_ failure: MQTTFailure) {
    let wasConnected = isConnected
    isConnected = false
    if case .lost = failure, wasConnected {
      door.logger.notice("mqtt: \(failure): connecting again")
    } else {
      door.note("the broker \(door.settings.broker.map { "\($0.endpoint)" } ?? ""): \(failure)")
    }
  }

  /// Once a connection: one gap in an access list often is many topics.
  private func noteRefusal(_ act: String, _ topic: String) {
    guard !isRefusalNoted else { return }
    isRefusalNoted = true
    door.note("the broker does not let the client \(act) to \(topic): permit that in its access list")
  }

  /// A broker of MQTT 3.1.1 does not say what its access list forbids: it is silent.
  private func checkEcho() {
    guard isConnected, !isHeard else { return }
    door.note(
      "the broker drops what the client publishes to \(door.topics.availability), or does not let it read that: permit "
        + "reading and writing of \(door.topics.base)/# in its access list")
  }

  /// Tells a broker, or a Home Assistant, that may know nothing.
  private func announce() async {
    states.forget()
    client.send(MQTTMessage(topic: door.topics.availability, text: "online", isRetained: true), .state)
    await refresh(withFigures: true, discoveringAgain: true)
  }

  private func take(_ message: MQTTMessage) async {
    if message.topic == door.topics.availability {
      guard !message.isRetained else { return }
      isHeard = true
      // The last will of a connection that the broker has given up late.
      if message.payload == Array("offline".utf8) {
        client.send(MQTTMessage(topic: door.topics.availability, text: "online", isRetained: true), .state)
      }
      return
    }
    do {
      let command = try EntityCommand(
        topic: message.topic, payload: message.payload, isRetained: message.isRetained, states.plan)
      if let command { await carryOut(command) }
    } catch {
      door.countRefusal()
      door.logger.notice("mqtt: a message to \(message.topic) is ignored: \(error)")
    }
  }

  // MARK: Commands

  private func carryOut(_ command: EntityCommand) async {
    switch command {
    case .homeAssistantStarted: await announce()
    case .lock(let action):
      door.logger.info("mqtt: action \(action) is not ended: its lock closes by itself")
    case .run(let action, let pin):
      guard runningCommands < Self.maxCommands else {
        door.countRefusal()
        return door.logger.notice("mqtt: action \(action) is refused: \(Self.maxCommands) others are being done")
      }
      runningCommands += 1
      let previous = isProgram(action) ? nil : lastQuickCommand
      let task = Task { [sink, device] in
        await previous?.value
        // Done or refused, the service journals it.
        try? await device.actions.run(ActionRequest(action: action, requester: .mqtt), pin: pin)
        sink.yield(.commandDone)
      }
      if !isProgram(action) { lastQuickCommand = task }
    }
  }

  private func isProgram(_ name: String) -> Bool {
    door.configuration.actions.contains {
      if case .program = $0.effect { $0.name == name } else { false }
    }
  }

  // MARK: The device

  private func take(_ event: EngineEvent) async {
    send(states.take(event))
    switch event {
    case .action(let use): if use.refusal == nil { showOpen(use.action) }
    case .detected(let timed):
      await showImage(of: timed.event)
      if timed.event.end == nil { await takeSnapshot() }
    case .incoming: await takeSnapshot()
    case .call, .hunt, .chat, .muted, .cameraSwapped, .archiveStarted, .archiveStopped, .hub, .eventRule, .source: break
    }
    await refresh(withFigures: false)
  }

  private func showOpen(_ name: String) {
    guard let action = door.configuration.actions.first(where: { $0.name == name }) else { return }
    let span: Duration
    switch action.effect {
    case .pulse(let pulse): span = pulse.length
    case .program, .home, .record: span = Self.programUnlockTime
    }
    send(states.setUnlocked(name, true))
    Task {
      try? await Task.sleep(for: span)
      send(states.setUnlocked(name, false))
    }
  }

  private func refresh(withFigures: Bool, discoveringAgain: Bool = false) async {
    guard isConnected, let status = try? await device.control.status() else { return }
    let figures = withFigures ? try? await device.control.telemetry() : nil
    if let figures { hasTemperature = !figures.system.temperatures.isEmpty }
    await discover(again: discoveringAgain)
    let isRecording = await device.engine.isRecordingManually
    send(
      states.update(
        status, figures, isRecording: isRecording, position: door.position.withLock { $0 }))
  }

  private func send(_ messages: [EntityMessage]) {
    guard isConnected || messages.contains(where: \.isEvent) else { return }
    for message in messages {
      client.send(
        MQTTMessage(topic: message.topic, payload: message.payload, isRetained: message.isRetained),
        message.isEvent ? .event : .state)
    }
  }

  // MARK: Discovery

  /// - Parameter again: whether to send it although nothing has changed.
  private func discover(again: Bool) async {
    let plan = await makePlan()
    guard again || plan != states.plan else { return }
    states.plan = plan
    if record == nil { record = await readRecord() }
    let (messages, record) = documents.messages(for: plan, after: record ?? DiscoveryDocuments.Record())
    // First, so that what is published and not noted cannot be: it could not be removed later.
    if record != self.record { await write(record) }
    self.record = record
    send(messages)
  }

  private func makePlan() async -> EntityPlan {
    let (configuration, settings) = (door.configuration, door.settings)
    var plan = EntityPlan(topics: door.topics)
    plan.sources = configuration.events.sources.map { EntityPlan.Source(name: $0.name, kind: $0.kind) }
    plan.actions = await device.actions.offersAtAnyTime(to: .mqtt).map {
      EntityPlan.Action(name: $0.name, needsPIN: $0.needsPIN)
    }
    for action in configuration.actions {
      switch action.effect {
      case .home(let isHome): plan.homeActions[action.name] = isHome
      case .record(let isRecording): plan.recordActions[action.name] = isRecording
      case .pulse, .program: break
      }
    }
    (plan.locks, plan.images) = (Set(settings.locks), settings.images)
    plan.hasButtons = configuration.buttons.contains { $0.call != nil }
    plan.hasPosition = configuration.location.isEnabled
    plan.hasTemperature = hasTemperature
    return plan
  }

  private func readRecord() async -> DiscoveryDocuments.Record? {
    let path = recordPath
    let contents = try? await BlockingWork.run(.state) { try PrivateFile.read(path, limit: Self.maxRecord) }
    return contents.flatMap { $0 }.flatMap { DiscoveryDocuments.Record(String(decoding: $0.octets, as: UTF8.self)) }
  }

  private func write(_ record: DiscoveryDocuments.Record) async {
    let path = recordPath
    do {
      try await BlockingWork.run(.state) { try PrivateFile.replace(path, with: Array(record.text.utf8)) }
    } catch {
      door.logger.warning("mqtt: \(path) cannot be written, so entities that go later may stay at the broker: \(error)")
    }
  }

  // MARK: Images

  private func showImage(of event: DetectedEvent) async {
    guard door.settings.images != .none, event.picture != nil, let id = DetectedEventID(event.id),
      let jpeg = await device.events.image(of: id, limit: Self.maxImage)
    else { return }
    send([states.image("last_event", jpeg)])
  }

  private func takeSnapshot() async {
    let now = MonotonicClock.now()
    guard door.settings.images == .snapshots, isConnected, !isTakingSnapshot, now >= nextSnapshot else { return }
    nextSnapshot = now + TimeSpan(door.settings.snapshotInterval)
    isTakingSnapshot = true
    Task {
      defer { isTakingSnapshot = false }
      guard let jpeg = try? await device.control.snapshot(camera: nil), jpeg.count <= Self.maxImage else { return }
      send([states.image("camera", jpeg)])
    }
  }
}
