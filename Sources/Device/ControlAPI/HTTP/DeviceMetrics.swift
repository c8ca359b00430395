import ControlMessages
import MediaPlaneAPI
import SafeText

/// The daemon's figures as Prometheus metrics: base units, and no label whose values come from outside, so that their number
/// is bounded and no call can be recognised.
struct DeviceMetrics {
  private var output = MetricText(prefix: "livesessions_")

  static func text(_ figures: DeviceTelemetry) -> String {
    var metrics = DeviceMetrics()
    metrics.addCalls(figures.calls)
    metrics.addHub(figures.hub)
    VideoMetrics(figures.media).add(to: &metrics.output)
    metrics.addSound(figures.media)
    metrics.addSessions(figures.media.sessions)
    metrics.addArchives(figures.media.archives)
    if let disk = figures.media.disk { metrics.addDisk(disk) }
    if let upload = figures.upload { metrics.addUpload(upload) }
    if let publications = figures.publications { metrics.addPublications(publications) }
    if let mqtt = figures.mqtt { metrics.addMQTT(mqtt) }
    metrics.addSystem(figures.system)
    metrics.addProblems(figures.failingParts)
    return metrics.output.text
  }

  // MARK: Calls

  private mutating func addCalls(_ calls: CallTelemetry) {
    output.add("calls", .gauge, "Calls that are not over, also those that ring.", calls.current)
    output.add("calls_max", .gauge, "Calls that there may be at the same time.", calls.maximum)
    output.add(
      "calls_ended_total", .counter, "Calls that are over.",
      samples(calls.incoming, "incoming") + samples(calls.outgoing, "outgoing"))
  }

  private func samples(_ counts: CallOutcomes, _ direction: String) -> [MetricText.Sample] {
    [
      ("completed", counts.completed), ("dropped", counts.dropped), ("rejected", counts.rejected),
      ("unanswered", counts.unanswered), ("cancelled", counts.cancelled), ("failed", counts.failed),
    ].map { outcome, count in
      MetricText.Sample(labels: [("direction", direction), ("outcome", outcome)], value: Double(count))
    }
  }

  private mutating func addHub(_ hub: HubTelemetry) {
    output.add("hub_connected", .gauge, "Whether there is a connection to the hub.", hub.connectedTime == nil ? 0 : 1)
    output.add("hub_connected_seconds", .gauge, "How long there has been a connection to the hub.", hub.connectedTime)
    output.add("hub_reconnects_total", .counter, "Connections to the hub after one was lost.", hub.reconnects)
  }

  /// Of all sessions together, or of the one that fares worst.
  private mutating func addSessions(_ sessions: [SessionTelemetry]) {
    output.add("sessions_connected", .gauge, "Sessions in which media flows.", sessions.count { $0.isConnected })
    output.add(
      "sessions_send_bytes_per_second", .gauge, "What all sessions send.", Self.bytes(sessions.map(\.sendBitrate)))
    output.add(
      "sessions_receive_bytes_per_second", .gauge, "What all sessions receive.",
      Self.bytes(sessions.map(\.receiveBitrate)))
    output.add(
      "sessions_send_estimate_min_bytes_per_second", .gauge, "What the narrowest path is thought to take.",
      sessions.compactMap(\.sendEstimate).min().map { Double($0) / 8 })
    output.add(
      "sessions_round_trip_max_seconds", .gauge, "The longest round trip of a session.",
      sessions.compactMap(\.roundTripTime).max().map { Double($0) / 1_000 })
    output.add(
      "sessions_send_loss_max_ratio", .gauge,
      "The largest share of packets that the other side of a session missed lately.",
      sessions.compactMap(\.sendLoss).max())
  }

  private static func seconds(_ milliseconds: Int) -> Double { Double(milliseconds) / 1_000 }

  private static func bytes(_ bitrates: [Int]) -> Double { bitrates.reduce(0) { $0 + Double($1) / 8 } }

  // MARK: Video and audio

  private mutating func addSound(_ media: MediaTelemetry) {
    let (microphone, playout) = (media.microphone, media.playout)
    output.add("audio_packets_encoded_total", .counter, "Packets of sound encoded.", microphone.packetsEncoded)
    output.add("audio_encoded_bytes_total", .counter, "Bytes of sound encoded.", microphone.bytes)
    output.add("microphone_overruns_total", .counter, "Times that captured sound was lost.", microphone.overruns)
    output.add("microphone_failures_total", .counter, "Times that the microphone failed.", microphone.failures)
    output.add("playout_packets_total", .counter, "Packets of sound played.", playout.packetsPlayed)
    output.add("playout_late_packets_total", .counter, "Packets that came too late.", playout.packetsLate)
    output.add("playout_dropped_packets_total", .counter, "Packets left out.", playout.packetsSkipped)
    output.add(
      "playout_concealed_seconds_total", .counter, "Sound made up for lost packets.", Self.seconds(playout.concealed))
    output.add(
      "playout_recovered_seconds_total", .counter, "Sound restored from later packets.", Self.seconds(playout.recovered)
    )
    output.add(
      "playout_delay_seconds", .gauge, "How long received sound waits in the jitter buffer.",
      Self.seconds(playout.delay))
    output.add("playout_underruns_total", .counter, "Times that the card ran dry.", playout.underruns)
    let sound = media.sound
    output.add(
      "echo_return_loss_enhancement_decibels", .gauge, "By how much echo is lowered.", sound?.echoReturnLossEnhancement)
    output.add("echo_delay_seconds", .gauge, "From loudspeaker to microphone.", sound?.echoDelay.map { $0 / 1_000 })
    output.add("speech_level_decibels", .gauge, "How loud speech is, to full scale.", sound?.speechLevel)
  }

  // MARK: Disk and machine

  private mutating func addArchives(_ archives: ArchiveTelemetry) {
    output.add("archives_open", .gauge, "Archives that are being recorded.", archives.open)
    output.add("archives_open_bytes", .gauge, "Bytes of those on the disk.", archives.openBytes)
    output.add("archives_started_total", .counter, "Archives begun.", archives.started)
    output.add("archives_failures_total", .counter, "Archives not begun, or ended by their disk.", archives.failures)
  }

  private mutating func addDisk(_ disk: DiskTelemetry) {
    output.add("disk_free_bytes", .gauge, "What may still be written.", disk.free)
    output.add("disk_capacity_bytes", .gauge, "The size of the archives' disk.", disk.capacity)
    output.add("disk_min_free_bytes", .gauge, "What recording leaves free.", disk.minimumFree)
    output.add("archives_bytes", .gauge, "Bytes of all archives.", disk.archives)
    output.add("archives_max_bytes", .gauge, "What all archives may take.", disk.maximumArchives.map { Double($0) })
  }

  private mutating func addUpload(_ upload: UploadTelemetry) {
    output.add(
      "upload_archives_waiting", .gauge, "Archives of which the store lacks something.", upload.archivesWaiting)
    output.add("upload_waiting_bytes", .gauge, "Bytes that the store lacks.", upload.bytesWaiting)
    output.add("upload_archives_total", .counter, "Archives that the store has got.", upload.archivesUploaded)
    output.add("upload_sent_bytes_total", .counter, "Bytes sent, also those sent again.", upload.bytesSent)
    output.add("upload_failures_total", .counter, "Attempts that failed.", upload.failures)
  }

  private mutating func addPublications(_ publications: [PublicationTelemetry]) {
    output.add(
      "publication_up", .gauge, "Whether media flows to a server of [[publish]].",
      publications.map { MetricText.Sample(labels: [("name", $0.name)], count: $0.isPublished ? 1 : 0) })
    output.add(
      "publication_failures_total", .counter, "Attempts and sessions that failed.",
      publications.map { MetricText.Sample(labels: [("name", $0.name)], count: $0.failures) })
  }

  private mutating func addMQTT(_ mqtt: MQTTStatus) {
    output.add("mqtt_connected", .gauge, "Whether there is a connection to the MQTT broker.", mqtt.isConnected ? 1 : 0)
    output.add("mqtt_connections_total", .counter, "Connections to the MQTT broker.", mqtt.connections)
    output.add("mqtt_messages_sent_total", .counter, "Messages that the broker has acknowledged.", mqtt.sentMessages)
    output.add("mqtt_messages_received_total", .counter, "Messages from the broker.", mqtt.receivedMessages)
    output.add("mqtt_messages_waiting", .gauge, "Messages that wait for the broker.", mqtt.waitingMessages)
    output.add("mqtt_messages_dropped_total", .counter, "Messages that waited too long.", mqtt.droppedMessages)
    output.add("mqtt_commands_refused_total", .counter, "Messages that were no command.", mqtt.refusedCommands)
  }

  private mutating func addSystem(_ system: SystemTelemetry) {
    output.add("uptime_seconds", .gauge, "Time since the daemon's start.", system.uptime)
    output.add("cpu_seconds_total", .counter, "Processor time of the daemon.", system.processorTime)
    output.add("resident_memory_bytes", .gauge, "Memory of the daemon.", system.residentMemory.map { Double($0) })
    output.add(
      "machine_memory_available_bytes", .gauge, "Memory that programs may still take.",
      system.availableMemory.map { Double($0) })
    output.add(
      "temperature_celsius", .gauge, "Temperature of a thermal zone.",
      system.temperatures.enumerated().map { index, zone in
        MetricText.Sample(labels: [("index", "\(index)"), ("zone", zone.zone)], value: zone.celsius)
      })
    output.add(
      "clock_synchronized", .gauge, "Whether the kernel trusts the wall clock.", system.clockSynchronized ? 1 : 0)
  }

  private mutating func addProblems(_ failing: [DevicePart]) {
    output.add(
      "problem", .gauge, "Whether a part does not work; livesessions status says why.",
      DevicePart.allCases.map { part in
        MetricText.Sample(labels: [("part", part.rawValue)], value: failing.contains(part) ? 1 : 0)
      })
  }
}
