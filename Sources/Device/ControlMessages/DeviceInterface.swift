/// The Varlink interface `org.livesessions.Device`.
public enum DeviceInterface {
  public static let name = "org.livesessions.Device"

  /// The interface's definition, as `GetInterfaceDescription` returns it.
  public static let description = """
    # Local control of a LiveSessions device. Times are milliseconds since 1970.
    interface org.livesessions.Device

    type MuteTarget (microphone, speaker, camera)

    # What a call carries.
    type CallMedia (audio, video, both)

    # One after the other, or all until the first answers.
    type HuntOrder (in_turn, all_at_once)

    # Several who are called until one answers: by a button or a rule about events, whose name it has, or by Hunt. The state is calling, answered or
    # ended; one that has ended is shown until the next of its name.
    type HuntStatus (name: string, state: string, text: string, startedAt: int)

    # One call; one that the device places has a receiver. Bit rates are bits per second, the round trip time is in milliseconds. The camera is what
    # the other party sees: device is the main one, mosaic all in one picture.
    type Session (
      sessionID: string,
      callerID: string,
      callerTitle: string,
      receiverID: ?string,
      receiverTitle: ?string,
      state: string,
      isAudio: bool,
      isVideo: bool,
      startedAt: int,
      policyRule: ?string,
      archiveID: ?string,
      sendBitrate: ?int,
      receiveBitrate: ?int,
      roundTripTime: ?int,
      camera: ?string
    )

    # One capture or playback device; of a further camera with its name. It is muted by "device" (somebody at the device), by parties of calls (their user
    # ids), or both. The details are for people; the frame rate is that of the last seconds; what was
    # dropped, ran over or dry, or failed is counted since the daemon's start.
    type MediaDevice (
      target: MuteTarget,
      camera: ?string,
      name: string,
      state: string,
      isMuted: bool,
      mutedBy: ?[]string,
      details: ?string,
      frameRate: ?float,
      dropped: ?int,
      xruns: ?int,
      failures: ?int
    )

    # An archive that runs; without a session it records the device alone. The size is in bytes.
    type Recording (archiveID: string, sessionID: ?string, startedAt: int, size: int, droppedFrames: int)

    # Positions that gpsd tells: the age of the last plausible one in seconds; whether it is too old to be published; how many
    # were left out because they cannot be true, and why the newest was.
    type Position (age: ?int, since: ?int, isStale: bool, refused: int, doubt: ?string)

    # While the clock is not synchronised, rules with hours reject calls and admit none. The problem says why no archive can be
    # written.
    type DeviceStatus (
      version: string,
      title: string,
      userID: ?string,
      hubURL: string,
      isOnline: bool,
      clockSynchronized: bool,
      timeZone: ?string,
      startedAt: int,
      sessions: []Session,
      maximumSessions: ?int,
      devices: []MediaDevice,
      recordings: []Recording,
      position: ?Position,
      archiveDirectory: ?string,
      archiveProblem: ?string,
      plans: ?[]Plan,
      problems: ?[]Problem,
      upload: ?UploadStatus,
      hunts: ?[]HuntStatus,
      isHome: ?bool
    )

    # A recording plan; the text says what it does, and why it does not record.
    type Plan (name: string, isRecording: bool, text: string)

    # Where archives go; what waits to be sent, and what was sent since the daemon's start, also again. Paused: because of a call.
    type UploadStatus (
      destination: string,
      archiveID: ?string,
      isPaused: bool,
      waitingArchives: int,
      waitingBytes: int,
      uploadedArchives: int,
      sentBytes: int,
      failures: int
    )

    # What does not work (without until), or last did not; the part is hub, camera, microphone, speaker, archives, events, event-sources,
    # evidence, event-rules or upload, with the name of a further camera. The text says what to do about it.
    type Problem (part: string, camera: ?string, text: string, since: ?int, until: ?int)

    # Figures. What is counted is counted since the daemon's start; bit rates are bits per second, sizes bytes.
    type Telemetry (
      calls: CallTelemetry,
      hub: HubTelemetry,
      media: MediaTelemetry,
      system: SystemTelemetry,
      failingParts: []string,
      upload: ?UploadTelemetry
    )

    # Absent where archives are not uploaded; what waits are archives and bytes of now.
    type UploadTelemetry (
      archivesWaiting: int,
      bytesWaiting: int,
      archivesUploaded: int,
      bytesSent: int,
      failures: int
    )

    # Calls that are not over, also those that ring, and those that are.
    type CallTelemetry (current: int, maximum: int, incoming: CallOutcomes, outgoing: CallOutcomes)

    # Completed and dropped calls had media. Rejected: one side or its rules did not want it. Unanswered: nobody did anything.
    # Cancelled: taken back before it was answered. Failed: it could not be set up.
    type CallOutcomes (completed: int, dropped: int, rejected: int, unanswered: int, cancelled: int, failed: int)

    # The time is in seconds, absent while there is no connection.
    type HubTelemetry (connectedTime: ?float, reconnects: int)

    type MediaTelemetry (
      video: VideoTelemetry,
      cameras: ?[]CameraTelemetry,
      microphone: MicrophoneTelemetry,
      playout: PlayoutTelemetry,
      sessions: []SessionTelemetry,
      archives: ArchiveTelemetry,
      disk: ?DiskTelemetry,
      sound: ?SoundTelemetry
    )

    # Damaged frames could not be converted, dropped ones came while the encoder was busy, thinned ones were left out to lower the
    # frame rate, skipped ones by the encoder's rate control. Rates are frames per second, the encode time is milliseconds a
    # frame on average, width and height are those of what is encoded.
    type VideoTelemetry (
      framesCaptured: int,
      framesDamaged: int,
      framesDropped: int,
      framesThinned: int,
      framesSkipped: int,
      framesEncoded: int,
      keyFrames: int,
      bytes: int,
      failures: int,
      captureRate: float,
      encodeRate: float,
      encodeTime: float,
      targetBitrate: int,
      width: int,
      height: int
    )

    # A further camera.
    type CameraTelemetry (name: string, video: VideoTelemetry)

    # Overruns lost sound because it was not fetched in time.
    type MicrophoneTelemetry (packetsEncoded: int, bytes: int, overruns: int, failures: int)

    # Late packets came after their time, or twice; left out are those that were too many, too old or undecodable. The others are
    # milliseconds: sound recovered from later packets, concealed, taken out (accelerated) or put in (expanded) to change the
    # delay; how long sound waits in the jitter buffer, and how long the network's jitter asks for, the longest of those who
    # talk. Underruns are times that the card ran dry.
    type PlayoutTelemetry (
      packetsPlayed: int,
      packetsLate: int,
      packetsLeftOut: int,
      recovered: int,
      concealed: int,
      accelerated: int,
      expanded: int,
      underruns: int,
      delay: int,
      targetDelay: int
    )

    # The estimate is what the path is thought to take; the round trip time is in milliseconds; lost packets are those that the
    # other side missed at first (send) or that this one missed (receive); sendLoss is the share of late, 0 to 1.
    type SessionTelemetry (
      sessionID: string,
      isConnected: bool,
      sendBitrate: int,
      receiveBitrate: int,
      sendEstimate: ?int,
      roundTripTime: ?int,
      packetsSent: int,
      packetsReceived: int,
      bytesSent: int,
      bytesReceived: int,
      packetsResent: int,
      sendPacketsLost: int,
      sendLoss: ?float,
      receivePacketsLost: int
    )

    # Open archives are being recorded now.
    type ArchiveTelemetry (
      open: int,
      openBytes: int,
      openFramesDropped: int,
      started: int,
      failures: int,
      lastError: ?string
    )

    # As looked at last. minimumFree is left free by recording; the archives may take maximumArchives together.
    type DiskTelemetry (free: int, capacity: int, minimumFree: int, archives: int, maximumArchives: ?int)

    # Decibels, milliseconds, and decibels relative to full scale.
    type SoundTelemetry (echoReturnLossEnhancement: ?float, echoDelay: ?float, speechLevel: ?float)

    # Degrees Celsius.
    type Temperature (zone: string, celsius: float)

    # Times are in seconds.
    type SystemTelemetry (
      uptime: float,
      residentMemory: ?int,
      availableMemory: ?int,
      processorTime: ?float,
      temperatures: []Temperature,
      clockSynchronized: bool
    )

    # Somebody online at the hub; the distance is in metres.
    type User (userID: string, userTitle: string, kind: string, status: string, distance: ?float)

    # The duration is in seconds, the size in bytes.
    type Archive (
      archiveID: string,
      name: string,
      sessionID: string,
      status: string,
      reason: string,
      createdAt: int,
      duration: int,
      size: int,
      hasAudio: bool,
      hasVideo: bool,
      isLocked: bool,
      isUploaded: ?bool,
      path: ?string,
      callerID: ?string
    )

    # The codec as Matroska names it; pixels of the first picture.
    type ArchiveTrack (codec: string, width: ?int, height: ?int, channels: ?int)

    # Offsets are milliseconds from the archive's start; a file without a size is missing. The camera is a further one's name.
    type ArchiveFile (
      filename: string,
      streamID: string,
      camera: ?string,
      connectionData: string,
      size: ?int,
      startTimeOffset: int,
      stopTimeOffset: int,
      tracks: []ArchiveTrack
    )

    type ArchiveDetail (
      archive: Archive,
      clockSynchronized: bool,
      callerID: ?string,
      policyRule: ?string,
      plans: ?[]string,
      timeLapseInterval: ?int,
      isInUse: bool,
      files: []ArchiveFile,
      otherFiles: []string,
      problems: []string
    )

    # An archive that was whole has no changes. Notes say what was left alone.
    type ArchiveRepairResult (archiveID: string, changes: []string, notes: ?[]string)

    # A sound archive has no problems. Notes say what harms nothing, such as files that others put there.
    type ArchiveReport (archiveID: string, problems: []string, notes: ?[]string)

    type Action (name: string, isAllowed: bool, needsPIN: bool)

    type Event (
      name: string,
      time: int,
      sessionID: ?string,
      archiveID: ?string,
      userID: ?string,
      text: ?string,
      hunt: ?string,
      eventID: ?string
    )

    # Thousandths of the picture's width and height, from the upper left.
    type EventRegion (x: int, y: int, width: int, height: int)

    # Something that a source of events has noticed; without an end it goes on, unless it is interrupted: then the daemon ended
    # before it. The kind is motion, tamper, sound, smoke-alarm, geofence, speed, temperature, power or input, the score that of the strongest moment, 0 to 100, the region where
    # in the picture that was, the camera the name of a further one, the picture a file beside events.jsonl, and the archives those that were being recorded.
    type DetectedEvent (
      id: string,
      kind: string,
      source: string,
      camera: ?string,
      start: int,
      end: ?int,
      score: int,
      region: ?EventRegion,
      detail: ?string,
      picture: ?string,
      archives: ?[]string,
      clockSynchronized: bool,
      isInterrupted: ?bool
    )

    type EventRule (name: string, isMatch: bool, reasons: []string, ruling: ?string)

    # The rules that were looked at, in order; without a rule none matches. The effects are in words.
    type EventExplanation (
      source: string,
      kind: string,
      score: int,
      isHome: bool,
      rule: ?string,
      effects: []string,
      rules: []EventRule
    )

    method Status() -> (status: DeviceStatus)

    # What has been counted and measured, for those who watch a device over time.
    method GetTelemetry() -> (telemetry: Telemetry)

    method Users() -> (users: []User)

    # Calls the user of that id, or the only one of that title who is online; with what the device has, unless media says
    # otherwise. The first reply comes at once. With "more", each of the call's events follows as a further reply, until
    # call.ended or call.rejected.
    method Call(user: string, media: ?CallMedia) -> (sessionID: string, event: ?Event)

    # Calls 1 to 16 users until one answers; who is busy, rejects or is offline is passed over at once. An id or a title as with
    # Call, or user:ID, who need not be online. It rings ringFor seconds at each (20; 1 to 60). One of these hunts runs at a
    # time; hanging up one of its calls ends it. With "more", its events follow until hunt.ended.
    method Hunt(users: []string, order: ?HuntOrder, ringFor: ?int, media: ?CallMedia) -> (hunt: string, event: ?Event)

    # Answers a call that rings.
    method Answer(sessionID: string) -> ()

    # Rejects a call that rings. The reason is declined (the default), busy, not-allowed, outside-hours or rate-limited.
    method Reject(sessionID: string, reason: ?string) -> ()

    method HangUp(sessionID: string) -> ()

    # Ends everybody's mute, or mutes until it is ended here: no party of a call can.
    method Mute(target: MuteTarget, isMuted: bool) -> ()

    # Goes on with the next camera.
    method SwapCamera() -> ()

    # Shows the other party of a call another camera: device, which is the main one, the name of a further one, or
    # mosaic, which is all of them in one picture.
    method ChooseCamera(sessionID: string, camera: string) -> ()

    # A JPEG of what the camera sees, or the further one of that name, in base64. A camera that is closed is opened for it, which takes a second or more; one
    # picture serves all who ask within two seconds.
    method Snapshot(camera: ?string) -> (picture: string)

    # Plays a WAV or Opus file of at most a minute on the loudspeaker, after others that wait, or speaks a text of at most
    # 1000 bytes with espeak-ng, where that is installed. The daemon must be able to read the file; its path is absolute. The
    # voice is en, de, fr+f2 and the like (en without one). Replies when the file is read or the text is synthesized.
    method Say(path: ?string, text: ?string, voice: ?string) -> ()

    # The device's actions, and whether the policy lets whoever asks use them now, limits and PINs aside.
    method ListActions() -> (actions: []Action)

    # Does an action. Replies when its line is active, or its program has ended.
    method RunAction(name: string, pin: ?string) -> ()

    # Sends a line of text to the other party.
    method Chat(sessionID: string, text: string) -> ()

    # Records one session, or all that are up.
    method ArchiveStart(sessionID: ?string) -> (archiveIDs: []string)

    # Stops one archive, or all that run.
    method ArchiveStop(archiveID: ?string) -> (archiveIDs: []string)

    # The newest archives first, 1000 unless limited otherwise; total is how many there are.
    method ArchiveList(limit: ?int) -> (archives: []Archive, total: ?int)

    # Reads one archive, or all, through.
    method ArchiveVerify(archiveID: ?string) -> (reports: []ArchiveReport)

    # Everything that is known without reading the archive through.
    method ArchiveShow(archiveID: string) -> (detail: ArchiveDetail)

    # Makes an archive whole that is not in use.
    method ArchiveRepair(archiveID: string) -> (result: ArchiveRepairResult)

    # Keeps an archive from being deleted, also while it is recorded; or lets it be deleted again.
    method ArchiveLock(archiveID: string, isLocked: bool) -> ()

    # The name has at most 128 bytes and no control characters.
    method ArchiveRename(archiveID: string, name: string) -> ()

    # Deletes an archive that is not in use; a locked one only by force.
    method ArchiveDelete(archiveID: string, isForced: ?bool) -> ()

    # What sources of events have noticed since a time, the newest first; 1000 of all that is kept unless limited otherwise. What
    # goes on is among them.
    method EventList(since: ?int, limit: ?int) -> (events: []DetectedEvent)

    # What the rules about events would make of one that a source notices now, with this score (100 without one), and why.
    method EventExplain(source: string, score: ?int) -> (explanation: EventExplanation)

    # Whether somebody is at home from now on, which rules about events may look at; kept also when the daemon starts anew.
    method SetHome(isHome: bool) -> ()

    # Call with "more". A client that does not read fast enough is disconnected.
    method Monitor() -> (event: Event)

    # Reads the policy and, of the configuration, what needs no restart anew; after InvalidConfiguration the old ones stay in
    # force.
    method Reload() -> ()

    # The policy, a limit or the PIN is against it, it is being done already, or it failed.
    error ActionRefused (name: string, message: string)
    error NoSuchSession (sessionID: string)
    error NoSuchArchive (archiveID: string)
    # The archive is being recorded, repaired or exported.
    error ArchiveInUse (archiveID: string)
    error ArchiveLocked (archiveID: string)
    # The hub cannot be reached.
    error NotConnected ()
    # Nobody who is online has this id or title.
    error NoSuchUser (user: string)
    # Several have this title; one line each.
    error AmbiguousUser (message: string)
    error InvalidConfiguration (message: string)
    error Failed (message: string)

    """
}
