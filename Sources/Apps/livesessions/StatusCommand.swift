import ArgumentParser
import ControlMessages
import MediaPlaneAPI
import Glibc

struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows what the daemon does; exits with 1 while the folder of archives or of events has a problem.")

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let status = try connection.withClient { client throws(ControlClientError) in
      try client.call(.status).status
    }
    if json { try Output.printJSON(status) } else { show(status) }
    if status.archiveProblem != nil || ProblemText(status).names("events") { throw ExitCode(Failure.general) }
  }

  private func show(_ status: DeviceStatus) {
    let state = status.isOnline ? "online" : "offline"
    Output.printStyled("\(status.title), \(state) at \(status.hubURL)", status.isOnline ? .good : .alarm)
    let problems = ProblemText(status)
    problems.showLasting()
    Output.printTable(
      [
        ["user", status.userID ?? "not logged in yet"], ["version", status.version],
        ["started", Output.time(status.startedAt)],
        ["clock", status.clockSynchronized ? "synchronised" : "not synchronised, so no rule with hours admits a call"],
      ] + surroundings(status) + archives(status) + upload(status) + publications(status) + mqtt(status)
        + hubNotes(status))
    let titles = PartyTitles(status.sessions)
    Output.printTable(status.devices.map { row($0, titles) })
    Output.printLine(sessionsTitle(status))
    Output.printTable(status.sessions.map(row))
    for session in status.sessions {
      for note in session.notes ?? [] { Output.printLine("  \(session.sessionID): \(note)") }
    }
    showHunts(status.hunts ?? [])
    showPlans(status.plans ?? [])
    Output.printLine(status.recordings.isEmpty ? "no recordings" : "recordings:")
    Output.printTable(status.recordings.map { row($0, titles) })
    problems.showPast()
  }

  private func showPlans(_ plans: [PlanStatus]) {
    guard !plans.isEmpty else { return }
    Output.printLine("recording plans:")
    Output.printTable(plans.map { ["  \($0.name)", $0.text] })
  }

  private func showHunts(_ hunts: [HuntStatus]) {
    guard !hunts.isEmpty else { return }
    Output.printLine("calls of several until one answers:")
    Output.printTable(hunts.map { ["  \($0.name)", "since \(Output.time($0.startedAt))", $0.text] })
  }

  private func sessionsTitle(_ status: DeviceStatus) -> String {
    guard !status.sessions.isEmpty else { return "no sessions" }
    guard let limit = status.maximumSessions else { return "sessions:" }
    let isFull = status.sessions.count >= limit
    return "sessions, \(status.sessions.count) of at most \(limit)\(isFull ? ": others get \"busy\"" : ""):"
  }

  /// Anomalies of the hub connection.
  private func hubNotes(_ status: DeviceStatus) -> [[String]] {
    let title = status.hubTitle.flatMap { $0 == status.title ? nil : "\"\($0)\", which is what others see" }
    let outage = ProblemText(status).names("hub") ? nil : status.outage
    return [("hub", outage), ("title at the hub", title)].compactMap { name, text in text.map { [name, $0] } }
  }

  private func surroundings(_ status: DeviceStatus) -> [[String]] {
    let timeZone = status.timeZone.map { [["time zone", $0]] } ?? []
    return timeZone + home(status) + position(status)
  }

  private func home(_ status: DeviceStatus) -> [[String]] {
    status.isHome.map { [["at home", $0 ? "yes" : "no"]] } ?? []
  }

  private func position(_ status: DeviceStatus) -> [[String]] {
    guard let position = status.position else { return [] }
    var text = "no report from gpsd yet"
    if let age = position.age { text = "\(age) s old" }
    if position.isStale, let since = position.since { text = "not published: none since \(Output.time(since))" }
    if position.refused > 0 { text += ", \(position.refused) left out" }
    if let doubt = position.doubt { text += ", the newest because \(doubt)" }
    return [["position", text]]
  }

  private func archives(_ status: DeviceStatus) -> [[String]] {
    guard let directory = status.archiveDirectory else { return [] }
    guard let problem = status.archiveProblem, !ProblemText(status).names("archives") else {
      return [["archives", directory]]
    }
    return [["archives", "PROBLEM: " + (problem.contains(directory) ? "" : "\(directory): ") + problem]]
  }

  private func upload(_ status: DeviceStatus) -> [[String]] {
    guard let upload = status.upload else { return [] }
    let waiting =
      upload.waitingArchives == 0
      ? "nothing waits" : "\(upload.waitingArchives) wait with \(Output.bytes(upload.waitingBytes))"
    let parts = [
      "to \(upload.destination)", waiting, count(upload.uploadedArchives, "uploaded"),
      upload.archiveID.map { "sending \($0)" }, upload.isPaused ? "paused for a call" : nil,
    ]
    return [["upload", parts.compactMap(\.self).joined(separator: ", ")]]
  }

  private func publications(_ status: DeviceStatus) -> [[String]] {
    (status.publications ?? []).map { one in
      let parts = [
        "\(one.text) to \(one.url)", one.state, one.since.map { "since \(Output.time($0))" },
        one.sendBitrate.map { "\($0 / 1_000) kbit/s" }, count(one.failures, "failures"),
      ]
      return ["publish \(one.name)", parts.compactMap(\.self).joined(separator: ", ")]
    }
  }

  private func mqtt(_ status: DeviceStatus) -> [[String]] {
    guard let mqtt = status.mqtt else { return [] }
    let parts = [
      (mqtt.isConnected ? "connected to " : "not connected to ") + mqtt.broker,
      count(mqtt.waitingMessages, "messages wait"), count(mqtt.droppedMessages, "dropped"),
    ]
    return [["mqtt", parts.compactMap(\.self).joined(separator: ", ")]]
  }

  private func row(_ device: MediaDeviceStatus, _ titles: PartyTitles) -> [String] {
    let counts = [
      device.frameRate.map { "\(($0 * 10).rounded() / 10)/s" },
      count(device.dropped, "dropped"), count(device.xruns, "xruns"), count(device.failures, "failures"),
    ]
    return [
      device.camera.map { "camera \($0)" } ?? device.target.rawValue, device.name, state(device, titles),
      device.details ?? "", counts.compactMap(\.self).joined(separator: ", "),
    ]
  }

  private func state(_ device: MediaDeviceStatus, _ titles: PartyTitles) -> String {
    guard device.isMuted else { return device.state }
    let names = (device.mutedBy ?? []).map { $0 == "device" ? "at the device" : "by \(titles.title(ofUser: $0))" }
    return "\(device.state), muted \(names.joined(separator: " and "))"
  }

  /// A non-zero count as text; nothing for zero.
  private func count(_ number: Int?, _ what: String) -> String? {
    number.flatMap { $0 == 0 ? nil : "\($0) \(what)" }
  }

  private func row(_ recording: RecordingStatus, _ titles: PartyTitles) -> [String] {
    [
      "  \(recording.archiveID)", recording.sessionID.map { titles.text(ofSession: $0) } ?? "of the device alone",
      "since \(Output.time(recording.startedAt))", Output.bytes(recording.size),
      "\(Double(recording.unflushed / 100) / 10) s not on the disk yet",
      count(recording.droppedFrames, "frames dropped") ?? "",
    ]
  }

  private func row(_ session: SessionStatus) -> [String] {
    [
      "  \(session.sessionID)", party(session), state(session),
      Output.time(session.startedAt), session.policyRule.map { "rule \"\($0)\"" } ?? "",
      session.archiveID.map { "recorded as \($0)" } ?? "not recorded", session.camera.map { "sees \($0)" } ?? "",
      rates(session),
    ]
  }

  private func state(_ session: SessionStatus) -> String {
    let phones = session.phones.map { " on \($0) phone\($0 == 1 ? "" : "s")" } ?? ""
    let viewer = session.receiverTitle ?? session.receiverID ?? ""
    return session.state + phones + (session.previews == nil ? "" : ", previewed by \(viewer)")
  }

  private func party(_ session: SessionStatus) -> String {
    guard let receiverID = session.receiverID else { return "\(session.callerTitle) (\(session.callerID))" }
    return "to \(session.receiverTitle ?? "") (\(receiverID))"
  }

  private func rates(_ session: SessionStatus) -> String {
    guard let sent = session.sendBitrate, let received = session.receiveBitrate else { return "" }
    let delay = session.roundTripTime.map { ", \($0) ms" } ?? ""
    return "\(sent / 1_000) kbit/s out, \(received / 1_000) kbit/s in\(delay)"
  }
}

/// What the other parties of the current calls are called.
private struct PartyTitles {
  private let sessions: [SessionStatus]

  init(_ sessions: [SessionStatus]) { self.sessions = sessions }

  /// The id of one whose call is over.
  func title(ofUser userID: String) -> String {
    sessions.lazy.compactMap { session in
      if session.receiverID == userID { return session.receiverTitle }
      return session.receiverID == nil && session.callerID == userID ? session.callerTitle : nil
    }.first ?? userID
  }

  func text(ofSession sessionID: String) -> String {
    guard let session = sessions.first(where: { $0.sessionID == sessionID }) else { return "of \(sessionID)" }
    let title = session.receiverID == nil ? session.callerTitle : session.receiverTitle
    return "of \(sessionID)" + (title.map { ", with \($0)" } ?? "")
  }
}

struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "users", abstract: "Lists who is online at the hub.")

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Print JSON.") var json = false

  func run() throws {
    let users = try connection.withClient { client throws(ControlClientError) in
      try client.call(.users).users
    }
    if json { return try Output.printJSON(users) }
    Output.printTable(
      users.map { user in
        let distance = user.distance.map { "\(($0 / 100).rounded() / 10) km" } ?? ""
        return [user.userID, user.userTitle, user.kind, user.status, distance]
      })
  }
}

struct MonitorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor", abstract: "Prints what happens at the device, until interrupted.")

  @OptionGroup var connection: ConnectionOptions
  @Flag(help: "Print one JSON object a line.") var json = false

  func run() throws {
    try connection.withClient { client throws(ControlClientError) in
      try client.monitor { event in
        show(event)
        return true
      }
      throw .disconnected
    }
  }

  private func show(_ event: DeviceEvent) {
    if json, (try? Output.printJSON(event)) != nil { return }
    let fields = [
      event.sessionID.map { "session=\($0)" }, event.archiveID.map { "archive=\($0)" },
      event.userID.map { "user=\($0)" }, event.text,
    ]
    Output.printLine(([Output.time(event.time), event.name] + fields.compactMap(\.self)).joined(separator: " "))
  }
}

struct ReloadCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reload",
    abstract:
      "Reloads the policy, and what of device.toml needs no restart; after a mistake the old ones stay in force."
  )

  @OptionGroup var connection: ConnectionOptions

  func run() throws {
    do {
      try connection.perform(.reload, NoParameters())
    } catch let code as ExitCode where code.rawValue == Failure.unavailable {
      try signalService()
    }
  }

  /// In `systemctl reload` systemd names the daemon; a signal reaches it when its socket does not.
  private func signalService() throws {
    guard let text = getenv("MAINPID").map({ String(cString: $0) }), let pid = pid_t(text), pid > 1,
      kill(pid, SIGHUP) == 0
    else { throw ExitCode(Failure.unavailable) }
    Output.printLine("the socket does not answer: sent SIGHUP to \(pid), see the journal for the outcome")
  }
}
