import ControlMessages

/// The methods of `org.livesessions.Device`: what is called, described and permitted all follows from these rows.
enum MethodTable {
  static let methods: [InterfaceMethod] = device + policy + calls + media + actions + archives + events

  /// The row of a method; nil for an unknown name.
  static subscript(name: String) -> InterfaceMethod? { byName[name] }

  private static let byName = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })

  private static let device: [InterfaceMethod] = [
    InterfaceMethod(.status, .monitoring) { control, _ in StatusReply(status: try await control.status()) },
    InterfaceMethod(
      .getTelemetry, .monitoring, "What has been counted and measured, for those who watch a device over time."
    ) { control, _ in TelemetryReply(telemetry: try await control.telemetry()) },
    InterfaceMethod(.users) { control, _ in UsersReply(users: try await control.users()) },
    InterfaceMethod(
      .resolveTitles, .full,
      """
      The ids of accounts at the hub, online or not, by 1 to 32 titles; a title that no account in the device's groups has
      is left out.
      """
    ) { ResolveTitlesReply(accounts: try await $0.resolveTitles($1.titles)) },
    InterfaceMethod(
      .monitor, .monitoring, "Call with \"more\". A client that does not read fast enough is disconnected."
    ) { call, _ in
      _ = try call.parameters(NoParameters.self)
      guard call.wantsMore, !call.isOneway else { throw VarlinkError.expectedMore }
      return .monitor
    },
    InterfaceMethod(
      .reload,
      "Reloads the policy and, of the configuration, what needs no restart; after InvalidConfiguration nothing has changed."
    ) { control, _ in try await control.reload() },
  ]

  private static let policy: [InterfaceMethod] = [
    InterfaceMethod(
      .policyExplain, .full,
      """
      What the policy in force would decide about a call of this user, or with action about the use of one, by whom (a
      person at the device without a caller), and why. Limits and wrong PINs are left aside. With isOutgoing whether the
      device may call this user, with isRecording whether this operator may have it record.
      """
    ) { try await $0.explainPolicy($1) }
  ]

  private static let calls: [InterfaceMethod] = [
    InterfaceMethod(
      .call, .full,
      """
      Calls the user of that id, or the only one of that title who is online; with what the device has, unless media says
      otherwise. The first reply comes at once. With "more", each of the call's events follows as a further reply, until
      call.ended or call.rejected.
      """
    ) { call, control in
      let parameters = try call.parameters(CallParameters.self)
      guard !call.wantsMore || call.isOneway else { return .follow(parameters) }
      let sessionID = try await control.call(user: parameters.user, media: parameters.media)
      return .reply(try VarlinkReply.encode(CallReply(sessionID: sessionID)))
    },
    InterfaceMethod(
      .hunt, .full,
      """
      Calls 1 to 16 users until one answers; who is busy, rejects or is offline is passed over at once. An id or a title
      as with Call, or user:ID, who need not be online. It rings ringFor seconds at each (20; 1 to 60). One of these hunts
      runs at a time; hanging up one of its calls ends it. With "more", its events follow until hunt.ended.
      """
    ) { call, control in
      let parameters = try call.parameters(HuntParameters.self)
      guard !call.wantsMore || call.isOneway else { return .followHunt(parameters) }
      return .reply(try VarlinkReply.encode(HuntReply(hunt: try await control.hunt(parameters))))
    },
    InterfaceMethod(.answer, "Answers a call that rings.") { try await $0.answer(sessionID: $1.sessionID) },
    InterfaceMethod(
      .reject,
      "Rejects a call that rings. The reason is declined (the default), busy, not-allowed, outside-hours or rate-limited."
    ) { try await $0.reject(sessionID: $1.sessionID, reason: $1.reason) },
    InterfaceMethod(.hangUp) { try await $0.hangUp(sessionID: $1.sessionID) },
    InterfaceMethod(.chat, "Sends a line of text, of at most 8192 bytes, to the other party.") { control, parameters in
      guard parameters.text.utf8.count <= 8_192 else { throw VarlinkError.invalidParameter("text") }
      try await control.sendChat(sessionID: parameters.sessionID, text: parameters.text)
    },
  ]

  private static let media: [InterfaceMethod] = [
    InterfaceMethod(.mute, "Ends the mutes of all parties, or mutes until it is ended here: no party of a call can.") {
      try await $0.setMuted($1.target, $1.isMuted)
    },
    InterfaceMethod(.swapCamera, "Continues with the next camera.") { control, _ in try await control.swapCamera() },
    InterfaceMethod(
      .chooseCamera,
      """
      Shows the other party of a call another camera: device, which is the main one, the name of a further one, or mosaic,
      which is all of them in one frame.
      """
    ) { try await $0.chooseCamera(sessionID: $1.sessionID, camera: $1.camera) },
    InterfaceMethod(
      .snapshot, .full,
      """
      A JPEG, in base64, of what the camera sees, or the further one of that name. A camera that is closed is opened for
      it, which takes a second or more; one image serves all who ask within two seconds.
      """
    ) { SnapshotReply(picture: try await $0.snapshot(camera: $1.camera)) },
    InterfaceMethod(
      .say,
      """
      Plays a WAV or Opus file of at most a minute on the loudspeaker, after others that wait, or speaks a text of at most
      1000 bytes with espeak-ng, where that is installed. The daemon must be able to read the file; its path is absolute.
      The voice is en, de, fr+f2 and the like (en without one). Replies when the file is read or the text is synthesized.
      """
    ) { try await $0.say($1) },
  ]

  private static let actions: [InterfaceMethod] = [
    InterfaceMethod(
      .listActions, .full,
      "The device's actions, and whether the policy lets the caller use them now, limits and PINs aside."
    ) { control, _ in ListActionsReply(actions: try await control.actions()) },
    InterfaceMethod(.runAction, "Does an action. Replies when its line is active, or its program has ended.") {
      try await $0.runAction(name: $1.name, pin: $1.pin)
    },
  ]

  private static let archives: [InterfaceMethod] = [
    InterfaceMethod(.archiveStart, .full, "Records one session, or all that are up.") {
      ArchiveIDsReply(archiveIDs: try await $0.startArchive(sessionID: $1.sessionID))
    },
    InterfaceMethod(.archiveStop, .full, "Stops one archive, or all that run.") {
      ArchiveIDsReply(archiveIDs: try await $0.stopArchive(archiveID: $1.archiveID))
    },
    InterfaceMethod(
      .archiveList, .monitoring,
      "The newest archives first, 1000 unless limited otherwise; total is how many there are."
    ) { control, parameters in
      let limit = parameters.limit ?? 1_000
      guard (1...100_000).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
      let archives = try await control.archives(limit: limit)
      // A list that is not full has all.
      let total = archives.count < limit ? archives.count : try await control.archiveCount()
      return ArchiveListReply(archives: archives, total: total)
    },
    InterfaceMethod(.archiveVerify, .full, "Reads one archive, or all, through.") {
      ArchiveVerifyReply(reports: try await $0.verifyArchives(archiveID: $1.archiveID))
    },
    InterfaceMethod(.archiveShow, .full, "Everything that is known without reading the archive through.") {
      ArchiveShowReply(detail: try await $0.showArchive(archiveID: $1.archiveID))
    },
    InterfaceMethod(.archiveRepair, .full, "Makes an archive whole that is not in use.") {
      ArchiveRepairReply(result: try await $0.repairArchive(archiveID: $1.archiveID))
    },
    InterfaceMethod(
      .archiveLock, "Keeps an archive from being deleted, also while it is recorded; or lets it be deleted again."
    ) { try await $0.setArchiveLocked(archiveID: $1.archiveID, $1.isLocked) },
    InterfaceMethod(.archiveRename, "The name has at most 128 bytes and no control characters.") {
      try await $0.renameArchive(archiveID: $1.archiveID, name: $1.name)
    },
    InterfaceMethod(.archiveDelete, "Deletes an archive that is not in use; a locked one only by force.") {
      try await $0.deleteArchive(archiveID: $1.archiveID, isForced: $1.isForced ?? false)
    },
  ]

  private static let events: [InterfaceMethod] = [
    InterfaceMethod(
      .eventList, .monitoring,
      """
      What sources of events have noticed since a time, the newest first; 1000 of all that is kept unless limited
      otherwise. Ongoing events are among them.
      """
    ) { control, parameters in
      let limit = parameters.limit ?? 1_000
      guard (1...EventListParameters.maxEvents).contains(limit) else { throw VarlinkError.invalidParameter("limit") }
      return EventListReply(events: try await control.detectedEvents(since: parameters.since ?? 0, limit: limit))
    },
    InterfaceMethod(
      .eventExplain, .full,
      "What the rules about events would make of one that a source notices now, with this score (100 without one), and why."
    ) { control, parameters in
      let score = parameters.score ?? 100
      guard (0...100).contains(score) else { throw VarlinkError.invalidParameter("score") }
      let explanation = try await control.explainEvent(source: parameters.source, score: score)
      return EventExplainReply(explanation: explanation)
    },
    InterfaceMethod(
      .setHome, "Whether a person is at home from now on, which rules about events may test; kept across restarts."
    ) { try await $0.setHome($1.isHome) },
  ]
}
