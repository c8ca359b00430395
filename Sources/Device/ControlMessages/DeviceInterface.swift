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

    # One call; one that the device places has a receiver. Bit rates are bits per second, the round trip time is in milliseconds.
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
      roundTripTime: ?int
    )

    # One capture or playback device. It is muted by "device" (somebody at the device), by parties of calls (their user
    # ids), or both. The details are for people; the frame rate is that of the last seconds; what was
    # dropped, ran over or dry, or failed is counted since the daemon's start.
    type MediaDevice (
      target: MuteTarget,
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
      startedAt: int,
      sessions: []Session,
      maximumSessions: ?int,
      devices: []MediaDevice,
      recordings: []Recording,
      position: ?Position,
      archiveDirectory: ?string,
      archiveProblem: ?string,
      continuousRecording: ?string
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
      path: ?string,
      callerID: ?string
    )

    # The codec as Matroska names it; pixels of the first picture.
    type ArchiveTrack (codec: string, width: ?int, height: ?int, channels: ?int)

    # Offsets are milliseconds from the archive's start; a file without a size is missing.
    type ArchiveFile (
      filename: string,
      streamID: string,
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
      isInUse: bool,
      files: []ArchiveFile,
      otherFiles: []string,
      problems: []string
    )

    # An archive that was whole has no changes.
    type ArchiveRepairResult (archiveID: string, changes: []string)

    # A sound archive has no problems.
    type ArchiveReport (archiveID: string, problems: []string)

    type Event (
      name: string,
      time: int,
      sessionID: ?string,
      archiveID: ?string,
      userID: ?string,
      text: ?string
    )

    method Status() -> (status: DeviceStatus)

    method Users() -> (users: []User)

    # Calls the user of that id, or the only one of that title who is online; with what the device has, unless media says
    # otherwise. The first reply comes at once. With "more", each of the call's events follows as a further reply, until
    # call.ended or call.rejected.
    method Call(user: string, media: ?CallMedia) -> (sessionID: string, event: ?Event)

    # Answers a call that rings.
    method Answer(sessionID: string) -> ()

    # Rejects a call that rings. The reason is declined (the default), busy, not-allowed, outside-hours or rate-limited.
    method Reject(sessionID: string, reason: ?string) -> ()

    method HangUp(sessionID: string) -> ()

    # Ends everybody's mute, or mutes until it is ended here: no party of a call can.
    method Mute(target: MuteTarget, isMuted: bool) -> ()

    # Goes on with the next camera.
    method SwapCamera() -> ()

    # Sends a line of text to the other party.
    method Chat(sessionID: string, text: string) -> ()

    # Records one session, or all that are up.
    method ArchiveStart(sessionID: ?string) -> (archiveIDs: []string)

    # Stops one archive, or all that run.
    method ArchiveStop(archiveID: ?string) -> (archiveIDs: []string)

    # The newest archives first, 1000 unless limited otherwise.
    method ArchiveList(limit: ?int) -> (archives: []Archive)

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

    # Call with "more". A client that does not read fast enough is disconnected.
    method Monitor() -> (event: Event)

    # Reads the policy and, of the configuration, [calls], [location] and [log] anew; after InvalidConfiguration the old ones stay
    # in force.
    method Reload() -> ()

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
