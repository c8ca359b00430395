import ControlMessages
import MediaPlaneAPI
import Signalling

/// A type of the interface: its name and documentation; its fields are those of the Swift type.
struct InterfaceType: Sendable {
  enum Shape: Sendable {
    case record(any (Decodable & Sendable).Type)
    case enumeration(any (Decodable & Sendable).Type, cases: [String])

    static func fields(of type: any (Decodable & Sendable).Type) -> Shape { .record(type) }

    static func cases<Cases: CaseIterable & RawRepresentable<String> & Decodable & Sendable>(
      of type: Cases.Type
    ) -> Shape {
      .enumeration(type, cases: type.allCases.map(\.rawValue))
    }

    var type: any (Decodable & Sendable).Type {
      switch self {
      case .record(let type), .enumeration(let type, _): type
      }
    }

    /// As Varlink's interface language has it.
    var declaration: String {
      switch self {
      case .record(let type): InterfaceDescription.record(MessageSchema(of: type))
      case .enumeration(_, let cases): "(\(cases.joined(separator: ", ")))"
      }
    }
  }

  let name: String
  let shape: Shape
  /// Sentences for those who write clients.
  let documentation: String

  init(_ name: String, _ shape: Shape, _ documentation: String = "") {
    self.name = name
    self.shape = shape
    self.documentation = documentation
  }
}

/// The names on the wire of what methods take and return.
enum InterfaceTypes {
  /// The name of a type; an enum that has none is a text, for clients that must not break when it gets another case.
  static func name(of type: any Decodable.Type) -> String {
    if let name = names[ObjectIdentifier(type)] { return name }
    precondition(type is any RawRepresentable.Type, "\(type) has no name in the interface")
    return "string"
  }

  private static let names = Dictionary(uniqueKeysWithValues: all.map { (ObjectIdentifier($0.shape.type), $0.name) })

  static let all: [InterfaceType] = [
    InterfaceType("MuteTarget", .cases(of: MuteTarget.self)),
    InterfaceType("CallMedia", .cases(of: ControlCallMedia.self), "What a call carries."),
    InterfaceType(
      "HuntOrder", .cases(of: ControlHuntOrder.self),
      "One after the other, or all until the first answers."),
    InterfaceType(
      "TitledAccount", .fields(of: TitledAccount.self),
      "The account at the hub that has a title; letters' case and spaces may differ from what was asked for."),
    InterfaceType(
      "HuntStatus", .fields(of: HuntStatus.self),
      """
      Several who are called until one answers: by a button or a rule about events, whose name it has, or by Hunt. The
      state is calling, answered or ended; one that has ended is shown until the next of its name.
      """),
    InterfaceType(
      "Session", .fields(of: SessionStatus.self),
      """
      One call; one that the device places has a receiver. Bit rates are bits per second, the round trip time is in
      milliseconds. The camera is what the other party sees: device is the main one, mosaic all in one frame.
      The notes say what the call lacks, why, and what helps.
      """),
    InterfaceType(
      "MediaDevice", .fields(of: MediaDeviceStatus.self),
      """
      One capture or playback device; of a further camera with its name. It is muted by "device" (a person at the
      device), by parties of calls (their user ids), or both. The details are for people; the frame rate is that of
      the last seconds; what was dropped, ran over or dry, or failed is counted since the daemon's start.
      """),
    InterfaceType(
      "Recording", .fields(of: RecordingStatus.self),
      """
      An archive that runs; without a session it records the device alone. The size is in bytes; a power cut would cost
      the milliseconds that are unflushed now.
      """),
    InterfaceType(
      "Position", .fields(of: PositionStatus.self),
      """
      Positions from gpsd: the age of the last plausible one in seconds; whether it is too old to be published; how
      many were rejected as implausible, and why the newest was.
      """),
    InterfaceType(
      "DeviceStatus", .fields(of: DeviceStatus.self),
      """
      While the clock is not synchronised, rules with hours reject calls and admit none. The problem says why no
      archive can be written.
      """),
    InterfaceType(
      "Plan", .fields(of: PlanStatus.self),
      "A recording plan; the text says what it does, and why it does not record."),
    InterfaceType(
      "UploadStatus", .fields(of: UploadStatus.self),
      """
      Where archives go; what waits to be sent, and what was sent since the daemon's start, also again. Paused:
      because of a call.
      """),
    InterfaceType(
      "Problem", .fields(of: ProblemStatus.self),
      """
      What does not work (without until), or last did not; the part is hub, camera, microphone, speaker, archives, http,
      events, event-sources, evidence, event-rules, upload or calls, with the name of a further camera. The text says
      what to do about it.
      """),
    InterfaceType(
      "Telemetry", .fields(of: DeviceTelemetry.self),
      "Figures. What is counted is counted since the daemon's start; bit rates are bits per second, sizes bytes."),
    InterfaceType(
      "UploadTelemetry", .fields(of: UploadTelemetry.self),
      "Absent where archives are not uploaded; archivesWaiting and bytesWaiting are those of now."),
    InterfaceType(
      "CallTelemetry", .fields(of: CallTelemetry.self),
      "Calls that are not over, also those that ring, and those that are."),
    InterfaceType(
      "CallOutcomes", .fields(of: CallOutcomes.self),
      """
      Completed and dropped calls had media. Rejected: one side or its rules did not want it. Unanswered: no side did
      anything. Cancelled: by the caller before it was answered. Failed: it could not be set up.
      """),
    InterfaceType(
      "HubTelemetry", .fields(of: HubTelemetry.self),
      "The time is in seconds, absent while there is no connection."),
    InterfaceType("MediaTelemetry", .fields(of: MediaTelemetry.self)),
    InterfaceType(
      "VideoTelemetry", .fields(of: VideoTelemetry.self),
      """
      Damaged frames could not be converted, dropped ones came while the encoder was busy, thinned ones were left out
      to lower the frame rate, skipped ones by the encoder's rate control. Rates are frames per second, the encode
      time is milliseconds a frame on average, width and height are those of what is encoded.
      """),
    InterfaceType("CameraTelemetry", .fields(of: CameraTelemetry.self), "A further camera."),
    InterfaceType(
      "MicrophoneTelemetry", .fields(of: MicrophoneTelemetry.self),
      "Overruns lost sound because it was not fetched in time."),
    InterfaceType(
      "PlayoutTelemetry", .fields(of: PlayoutTelemetry.self),
      """
      Late packets came after their time, or twice; left out are those that were too many, too old or undecodable. The
      others are milliseconds: sound recovered from later packets, concealed, taken out (accelerated) or put in
      (expanded) to change the delay; how long sound waits in the jitter buffer, and how long the network's jitter
      asks for, the longest of those who talk. Underruns are times that the card ran dry.
      """),
    InterfaceType(
      "SessionTelemetry", .fields(of: SessionTelemetry.self),
      """
      The estimate is what the path is thought to take; the round trip time is in milliseconds; lost packets are those
      that the other side missed at first (send) or that this one missed (receive); sendLoss is the share of late, 0
      to 1.
      """),
    InterfaceType("ArchiveTelemetry", .fields(of: ArchiveTelemetry.self), "Open archives are being recorded now."),
    InterfaceType(
      "DiskTelemetry", .fields(of: DiskTelemetry.self),
      "As read last. minimumFree is left free by recording; the archives may take maximumArchives together."),
    InterfaceType(
      "SoundTelemetry", .fields(of: SoundTelemetry.self),
      "Decibels, milliseconds, and decibels relative to full scale."),
    InterfaceType("Temperature", .fields(of: SystemTelemetry.Temperature.self), "Degrees Celsius."),
    InterfaceType("SystemTelemetry", .fields(of: SystemTelemetry.self), "Times are in seconds."),
    InterfaceType("User", .fields(of: OnlineUser.self), "A user who is online at the hub; the distance is in metres."),
    InterfaceType("Archive", .fields(of: ArchiveSummary.self), "The duration is in seconds, the size in bytes."),
    InterfaceType(
      "ArchiveTrack", .fields(of: ArchiveTrackDetail.self),
      "The codec as Matroska names it; pixels of the first frame."),
    InterfaceType(
      "ArchiveFile", .fields(of: ArchiveFileDetail.self),
      """
      Offsets are milliseconds from the archive's start; a file without a size is missing. The camera is a further
      one's name.
      """),
    InterfaceType("ArchiveDetail", .fields(of: ArchiveDetail.self)),
    InterfaceType(
      "ArchiveRepairResult", .fields(of: ArchiveRepairResult.self),
      "An archive that was whole has no changes. Notes say what was left alone."),
    InterfaceType(
      "ArchiveReport", .fields(of: ArchiveReport.self),
      "A sound archive has no problems. Notes say what harms nothing, such as files that others put there."),
    InterfaceType("Action", .fields(of: ActionSummary.self)),
    InterfaceType("Event", .fields(of: DeviceEvent.self)),
    InterfaceType(
      "EventRegion", .fields(of: FrameRegion.self),
      "Thousandths of the frame's width and height, from the upper left."),
    InterfaceType(
      "DetectedEvent", .fields(of: DetectedEvent.self),
      """
      What a source of events has noticed; without an end it is ongoing, unless it is interrupted: then the daemon
      ended before it. The kind is \(EventKind.list("or")), the
      score that of the strongest moment, 0 to 100, the region where in the frame that was, the camera the name of
      a further one, picture an image file beside events.jsonl, and the archives those that were being recorded.
      """),
    InterfaceType("PolicyRule", .fields(of: PolicyExplanation.Rule.self)),
    InterfaceType(
      "PolicyExplanation", .fields(of: PolicyExplanation.self),
      """
      The rules that were checked, in order; without a rule the default decides: answer, reject or ring, of an action
      allow or refuse. Note and source are absent here.
      """),
    InterfaceType("EventRule", .fields(of: EventExplanation.Rule.self)),
    InterfaceType(
      "EventExplanation", .fields(of: EventExplanation.self),
      "The rules that were evaluated, in order; without a rule none matches. The effects are sentences."),
  ]
}
