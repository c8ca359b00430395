import MediaPlaneAPI
import Signalling

/// What clients read about a type of the interface that a type of ours does not say: another name, and sentences.
struct InterfaceType: Sendable {
  let type: any (Decodable & Sendable).Type
  let name: String
  /// Nil for a structure.
  let cases: [String]?
  /// Sentences for those who write clients.
  let documentation: String

  static func fields(_ type: any (Decodable & Sendable).Type, _ name: String, _ documentation: String = "") -> Self {
    Self(type: type, name: name, cases: nil, documentation: documentation)
  }

  static func cases<Cases: CaseIterable & RawRepresentable<String> & Decodable & Sendable>(
    _ type: Cases.Type, _ name: String, _ documentation: String = ""
  ) -> Self {
    Self(type: type, name: name, cases: type.allCases.map(\.rawValue), documentation: documentation)
  }
}

/// The types of what methods take and return: all that their messages hold, by the names of ours unless a row says
/// otherwise. An enum without a row is a text, for clients that must not break when it gets another case.
enum InterfaceTypes {
  static func name(of type: any Decodable.Type) -> String {
    if let row = byType[ObjectIdentifier(type)] { return row.name }
    return type is any RawRepresentable.Type ? "string" : "\(type)"
  }

  /// The definitions of the types in `messages`, each behind those that it holds.
  static func definitions(of messages: [any Decodable.Type]) -> [(documentation: String, text: String)] {
    var definitions: [(documentation: String, text: String)] = []
    var known: Set<ObjectIdentifier> = []
    func visit(_ type: any Decodable.Type, isMessage: Bool = false) {
      let row = byType[ObjectIdentifier(type)]
      guard row != nil || !(type is any RawRepresentable.Type), known.insert(ObjectIdentifier(type)).inserted else {
        return
      }
      let body: String
      if let cases = row?.cases {
        body = "(\(cases.joined(separator: ", ")))"
      } else {
        let schema = MessageSchema(of: type)
        for field in schema.fields { if let inner = field.value.namedType { visit(inner) } }
        body = InterfaceDescription.record(schema)
      }
      if !isMessage { definitions.append((row?.documentation ?? "", "type \(name(of: type)) \(body)")) }
    }
    for message in messages { visit(message, isMessage: true) }
    return definitions
  }

  private static let byType = Dictionary(uniqueKeysWithValues: rows.map { (ObjectIdentifier($0.type), $0) })

  private static let rows: [InterfaceType] = [
    .cases(
      MuteTarget.self, "MuteTarget"),
    .cases(
      ControlCallMedia.self, "CallMedia", "What a call carries."),
    .cases(
      ControlHuntOrder.self, "HuntOrder",
      "One after the other, or all until the first answers."),
    .fields(
      TitledAccount.self, "TitledAccount",
      "The account at the hub that has a title; letters' case and spaces may differ from what was asked for."),
    .fields(
      HuntStatus.self, "HuntStatus",
      """
      Several who are called until one answers: by a button or a rule about events, whose name it has, or by Hunt. The
      state is calling, answered or ended; one that has ended is shown until the next of its name.
      """),
    .fields(
      SessionStatus.self, "Session",
      """
      One call; one that the device places has a receiver. Bit rates are bits per second, the round trip time is in
      milliseconds. The camera is what the other party sees: device is the main one, mosaic all in one frame.
      The notes say what the call lacks, why, and what helps.
      """),
    .fields(
      MediaDeviceStatus.self, "MediaDevice",
      """
      One capture or playback device; of a further camera with its name. It is muted by "device" (a person at the
      device), by parties of calls (their user ids), or both. The details are for people; the frame rate is that of
      the last seconds; what was dropped, ran over or dry, or failed is counted since the daemon's start.
      """),
    .fields(
      RecordingStatus.self, "Recording",
      """
      An archive that runs; without a session it records the device alone. The size is in bytes; a power cut would cost
      the milliseconds that are unflushed now.
      """),
    .fields(
      PositionStatus.self, "Position",
      """
      Positions from gpsd: the age of the last plausible one in seconds; whether it is too old to be published; how
      many were rejected as implausible, and why the newest was.
      """),
    .fields(
      DeviceStatus.self, "DeviceStatus",
      """
      While the clock is not synchronised, rules with hours reject calls and admit none. The problem says why no
      archive can be written.
      """),
    .fields(
      PlanStatus.self, "Plan",
      "A recording plan; the text says what it does, and why it does not record."),
    .fields(
      UploadStatus.self, "UploadStatus",
      """
      Where archives go; what waits to be sent, and what was sent since the daemon's start, also again. Paused:
      because of a call.
      """),
    .fields(
      PublicationStatus.self, "Publication",
      """
      A server to which the device publishes: idle while there is no occasion, connecting, publishing, restarting after a
      change of the network, or waiting after a failure. The time is in milliseconds since 1970, the rate in bits per
      second.
      """),
    .fields(
      MQTTStatus.self, "MQTTStatus",
      "The connection to an MQTT broker, and what went to and fro since the daemon's start."),
    .fields(
      ProblemStatus.self, "Problem",
      """
      What does not work (without until), or last did not; the part is hub, camera, microphone, speaker, archives, http, mqtt,
      events, event-sources, evidence, event-rules, upload, publish or calls, with the name of a further camera. The text says
      what to do about it.
      """),
    .fields(
      DeviceTelemetry.self, "Telemetry",
      "Figures. What is counted is counted since the daemon's start; bit rates are bits per second, sizes bytes."),
    .fields(
      UploadTelemetry.self, "UploadTelemetry",
      "Absent where archives are not uploaded; archivesWaiting and bytesWaiting are those of now."),
    .fields(
      PublicationTelemetry.self, "PublicationTelemetry", "A server to which the device publishes."),
    .fields(
      CallTelemetry.self, "CallTelemetry",
      "Calls that are not over, also those that ring, and those that are."),
    .fields(
      CallOutcomes.self, "CallOutcomes",
      """
      Completed and dropped calls had media. Rejected: one side or its rules did not want it. Unanswered: no side did
      anything. Cancelled: by the caller before it was answered. Failed: it could not be set up.
      """),
    .fields(
      HubTelemetry.self, "HubTelemetry",
      "The time is in seconds, absent while there is no connection."),
    .fields(
      VideoTelemetry.self, "VideoTelemetry",
      """
      Damaged frames could not be converted, dropped ones came while the encoder was busy, thinned ones were left out
      to lower the frame rate, skipped ones by the encoder's rate control. Rates are frames per second, the encode
      time is milliseconds a frame on average, width and height are those of what is encoded.
      """),
    .fields(
      CameraTelemetry.self, "CameraTelemetry", "A further camera."),
    .fields(
      MicrophoneTelemetry.self, "MicrophoneTelemetry",
      "Overruns lost sound because it was not fetched in time."),
    .fields(
      PlayoutTelemetry.self, "PlayoutTelemetry",
      """
      Late packets came after their time, or twice; left out are those that were too many, too old or undecodable. The
      others are milliseconds: sound recovered from later packets, concealed, taken out (accelerated) or put in
      (expanded) to change the delay; how long sound waits in the jitter buffer, and how long the network's jitter
      asks for, the longest of those who talk. Underruns are times that the card ran dry.
      """),
    .fields(
      SessionTelemetry.self, "SessionTelemetry",
      """
      The estimate is what the path is thought to take; the round trip time is in milliseconds; lost packets are those
      that the other side missed at first (send) or that this one missed (receive); sendLoss is the share of late, 0
      to 1.
      """),
    .fields(
      ArchiveTelemetry.self, "ArchiveTelemetry", "Open archives are being recorded now."),
    .fields(
      DiskTelemetry.self, "DiskTelemetry",
      "As read last. minimumFree is left free by recording; the archives may take maximumArchives together."),
    .fields(
      SoundTelemetry.self, "SoundTelemetry",
      "Decibels, milliseconds, and decibels relative to full scale."),
    .fields(
      SystemTelemetry.Temperature.self, "Temperature", "Degrees Celsius."),
    .fields(
      SystemTelemetry.self, "SystemTelemetry", "Times are in seconds."),
    .fields(
      OnlineUser.self, "User", "A user who is online at the hub; the distance is in metres."),
    .fields(
      ArchiveSummary.self, "Archive", "The duration is in seconds, the size in bytes."),
    .fields(
      ArchiveTrackDetail.self, "ArchiveTrack",
      "The codec as Matroska names it; pixels of the first frame."),
    .fields(
      ArchiveFileDetail.self, "ArchiveFile",
      """
      Offsets are milliseconds from the archive's start; a file without a size is missing. The camera is a further
      one's name.
      """),
    .fields(
      ArchiveRepairResult.self, "ArchiveRepairResult",
      "An archive that was whole has no changes. Notes say what was left alone."),
    .fields(
      ArchiveReport.self, "ArchiveReport",
      "A sound archive has no problems. Notes say what harms nothing, such as files that others put there."),
    .fields(
      ActionSummary.self, "Action"),
    .fields(
      DeviceEvent.self, "Event"),
    .fields(
      FrameRegion.self, "EventRegion",
      "Thousandths of the frame's width and height, from the upper left."),
    .fields(
      DetectedEvent.self, "DetectedEvent",
      """
      What a source of events has noticed; without an end it is ongoing, unless it is interrupted: then the daemon
      ended before it. The kind is \(EventKind.list("or")), the
      score that of the strongest moment, 0 to 100, the region where in the frame that was, the camera the name of
      a further one, picture an image file beside events.jsonl, and the archives those that were being recorded.
      """),
    .fields(
      PolicyExplanation.Rule.self, "PolicyRule"),
    .fields(
      PolicyExplanation.self, "PolicyExplanation",
      """
      The rules that were checked, in order; without a rule the default decides: answer, reject or ring, of an action
      allow or refuse. Note and source are absent here.
      """),
    .fields(
      EventExplanation.Rule.self, "EventRule"),
    .fields(
      EventExplanation.self, "EventExplanation",
      "The rules that were evaluated, in order; without a rule none matches. The effects are sentences."),
  ]
}
