import ControlMessages
import MediaPlaneAPI

/// What `livesessions stats` prints for people: a name and a line for each group.
struct StatsText {
  private let figures: DeviceTelemetry

  init(_ figures: DeviceTelemetry) { self.figures = figures }

  var rows: [[String]] { mediaRows + storageRows + [["daemon", daemon], ["machine", machine]] }

  private var mediaRows: [[String]] {
    let media = figures.media
    return [
      ["calls", calls], ["hub", hub], ["video", capture(media.video)], ["encoder", encoder(media.video)],
    ] + (media.cameras ?? []).flatMap(rows) + [
      ["microphone", microphone(media.microphone)], ["playout", playout(media.playout)],
    ] + (media.sound.map { [["sound", sound($0)]] } ?? []) + media.sessions.map { ["call", session($0)] }
  }

  private var storageRows: [[String]] {
    var rows = [["archives", archives(figures.media.archives)]]
    if let disk = figures.media.disk { rows.append(["disk", self.disk(disk)]) }
    if let upload = figures.upload { rows.append(["upload", self.upload(upload)]) }
    if let mqtt = figures.mqtt { rows.append(["mqtt", self.mqtt(mqtt)]) }
    return rows
  }

  // MARK: Calls

  private var calls: String {
    let calls = figures.calls
    return Self.list([
      "\(calls.current) of \(calls.maximum)", "incoming: \(outcomes(calls.incoming))",
      "outgoing: \(outcomes(calls.outgoing))",
    ])
  }

  private func outcomes(_ counts: CallOutcomes) -> String {
    let named = [
      (counts.completed, "completed"), (counts.dropped, "dropped"), (counts.rejected, "rejected"),
      (counts.unanswered, "unanswered"), (counts.cancelled, "cancelled"), (counts.failed, "failed"),
    ]
    let texts = named.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return texts.isEmpty ? "none yet" : texts.joined(separator: ", ")
  }

  private var hub: String {
    let time = figures.hub.connectedTime.map { "connected for \(Self.duration($0))" } ?? "not connected"
    return Self.list([time, Self.count(figures.hub.reconnects, "reconnects")])
  }

  private func session(_ session: SessionTelemetry) -> String {
    Self.list([
      session.sessionID, session.isConnected ? nil : "not connected",
      "\(session.sendBitrate / 1_000) kbit/s out" + (session.sendEstimate.map { " of \($0 / 1_000)" } ?? ""),
      "\(session.receiveBitrate / 1_000) kbit/s in", session.roundTripTime.map { "\($0) ms" },
      session.sendLoss.map { "\(Self.tenths($0 * 100)) % lost" },
      Self.count(Int(session.sendPacketsLost), "packets lost out"),
      Self.count(Int(session.receivePacketsLost), "lost in"), Self.count(Int(session.packetsResent), "sent again"),
    ])
  }

  // MARK: Media

  private func capture(_ video: VideoTelemetry) -> String {
    Self.list([
      "\(video.framesCaptured) captured", "\(video.framesEncoded) encoded",
      Self.count(video.framesRepeated, "of them repeated"), "\(video.framesDropped) dropped",
      Self.count(video.framesDamaged, "damaged"), Self.count(video.framesThinned, "left out for the bit rate"),
      Self.count(video.framesSkipped, "skipped by the encoder"), Self.count(video.failures, "camera failures"),
    ])
  }

  private func rows(_ camera: CameraTelemetry) -> [[String]] {
    [["camera \(camera.name)", capture(camera.video)], ["", encoder(camera.video)]]
  }

  private func encoder(_ video: VideoTelemetry) -> String {
    guard video.captureRate > 0 else { return "idle, target \(video.targetBitrate / 1_000) kbit/s" }
    return Self.list([
      "\(video.width)×\(video.height)", "\(Self.tenths(video.captureRate))/s captured",
      "\(Self.tenths(video.encodeRate))/s encoded in \(Self.tenths(video.encodeTime)) ms each",
      "target \(video.targetBitrate / 1_000) kbit/s",
      video.stillShare > 0 ? "\(Self.tenths(video.stillShare * 100)) % still" : nil,
    ])
  }

  private func microphone(_ sound: MicrophoneTelemetry) -> String {
    Self.list([
      "\(sound.packetsEncoded) packets", "\(sound.overruns) overruns", Self.count(sound.failures, "failures"),
    ])
  }

  private func playout(_ sound: PlayoutTelemetry) -> String {
    Self.list([
      "\(sound.packetsPlayed) packets", sound.targetDelay > 0 ? "\(sound.delay) ms buffered" : nil,
      "\(sound.concealed) ms concealed", Self.count(sound.recovered, "ms recovered"),
      Self.count(sound.packetsLate, "too late"), Self.count(sound.packetsSkipped, "left out"),
      "\(sound.underruns) underruns",
    ])
  }

  private func sound(_ sound: SoundTelemetry) -> String {
    Self.list([
      sound.echoReturnLossEnhancement.map { "echo lowered by \(Self.tenths($0)) dB" },
      sound.echoDelay.map { "echo after \(Self.tenths($0)) ms" },
      sound.speechLevel.map { "speech at \(Self.tenths($0)) dBFS" },
    ])
  }

  // MARK: Disk and machine

  private func archives(_ archives: ArchiveTelemetry) -> String {
    Self.list([
      "\(archives.open) open", archives.open > 0 ? Output.bytes(archives.openBytes) : nil,
      Self.count(archives.openFramesDropped, "frames dropped"), "\(archives.started) started",
      Self.count(archives.failures, "failures"), archives.lastError.map { "last error: \($0)" },
    ])
  }

  private func disk(_ disk: DiskTelemetry) -> String {
    let limit = disk.maximumArchives.map { " of \(Output.bytes($0))" } ?? ""
    return Self.list([
      "\(Output.bytes(disk.free)) free of \(Output.bytes(disk.capacity))",
      "\(Output.bytes(disk.minimumFree)) stay free", "archives \(Output.bytes(disk.archives))\(limit)",
    ])
  }

  private func mqtt(_ mqtt: MQTTStatus) -> String {
    Self.list([
      mqtt.isConnected ? "connected" : "not connected", "\(mqtt.sentMessages) sent",
      "\(mqtt.receivedMessages) received",
      Self.count(mqtt.droppedMessages, "dropped"), Self.count(mqtt.refusedCommands, "commands refused"),
    ])
  }

  private func upload(_ upload: UploadTelemetry) -> String {
    Self.list([
      "\(upload.archivesUploaded) archives uploaded", "\(Output.bytes(upload.bytesSent)) sent",
      "\(upload.archivesWaiting) wait with \(Output.bytes(upload.bytesWaiting))",
      Self.count(upload.failures, "failures"),
    ])
  }

  private var daemon: String {
    let system = figures.system
    return Self.list([
      "up \(Self.duration(system.uptime))", system.residentMemory.map { "\(Output.bytes($0)) in memory" },
      system.processorTime.map { "\(Self.duration($0)) of processor time" },
    ])
  }

  private var machine: String {
    let system = figures.system
    let temperatures = system.temperatures.map { "\($0.zone) \(Self.tenths($0.celsius)) °C" }
    return Self.list(
      [
        system.availableMemory.map { "\(Output.bytes($0)) of memory available" },
        system.clockSynchronized ? nil : "clock not synchronised",
      ] + temperatures)
  }

  // MARK: Phrases

  private static func list(_ parts: [String?]) -> String {
    parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// A non-zero count as text; nothing for zero.
  private static func count(_ number: Int, _ what: String) -> String? { number == 0 ? nil : "\(number) \(what)" }

  private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  private static func duration(_ seconds: Double) -> String { Output.duration(Int64(exactly: seconds.rounded()) ?? 0) }
}
