public import Signalling

/// What the hub offers of a device.
public enum DeviceContent: Sendable, Hashable {
  /// - Parameter range: the `Range` header, as it came.
  case archive(ArchivePath, range: String?)
  /// A part of a file's stream, as a file of its own.
  case clip(ArchivePath, ArchiveSpan, range: String?)
  /// An image that shows what an archive is of.
  case thumbnail(ArchiveID)
  /// An archive is locked, unlocked, renamed or deleted. The device decides by requester, whom the token names.
  case change(ArchiveID, ArchiveChange, requesterToken: String)
  /// Of which cameras there are snapshots.
  case cameras
  /// A snapshot of a camera.
  case snapshot(CameraName)
  /// What it has noticed, a page at a time: the newest of the span, or those behind the last one of the page before.
  case events(TimelineSpan, after: EventCursor?)
  /// When it recorded.
  case recordings(TimelineSpan)
  /// Whether a manual recording runs; it is started or stopped before, unless nil. The device decides by requester,
  /// whom the token names.
  case recording(isWanted: Bool?, requesterToken: String)
  /// The image of an event.
  case eventImage(DetectedEventID)

  /// As the device's ``Signalling/RequestEvent`` has it.
  public var path: String {
    switch self {
    case .archive(let path, _): path.text
    case .clip(let path, let span, _): "\(path.text)/clip/\(span.text)"
    case .thumbnail(let id): "archives/\(id)/thumbnail"
    case .change(let id, let change, _): "archives/\(id)/change/\(change.text)"
    case .cameras: "cameras"
    // Devices of earlier versions know no names.
    case .snapshot(.main): "snapshot"
    case .snapshot(let camera): "snapshot/\(camera)"
    case .events(let span, nil): "events/\(span.text)"
    case .events(let span, let cursor?): "events/\(span.text)/after/\(cursor.text)"
    case .recordings(let span): "recordings/\(span.text)"
    case .recording(nil, _): "recording"
    case .recording(true?, _): "recording/start"
    case .recording(false?, _): "recording/stop"
    case .eventImage(let id): "events/\(id)/picture"
    }
  }

  /// See ``path``.
  public var range: String? {
    switch self {
    case .archive(_, let range), .clip(_, _, let range): range
    case .thumbnail, .change, .cameras, .snapshot, .events, .recordings, .recording, .eventImage: nil
    }
  }

  /// By which the device identifies the requester, where that decides something.
  public var requesterToken: String? {
    switch self {
    case .recording(_, let token), .change(_, _, let token): token
    case .archive, .clip, .thumbnail, .cameras, .snapshot, .events, .recordings, .eventImage: nil
    }
  }

  public var kind: Kind {
    switch self {
    case .archive, .clip: .archive
    case .thumbnail: .thumbnail
    case .change: .change
    case .cameras: .cameras
    case .snapshot: .snapshot
    case .events, .recordings: .timeline
    case .recording: .recording
    case .eventImage: .eventImage
    }
  }
}

extension DeviceContent {
  /// What is limited together, and refused with the same message.
  public enum Kind: String, Sendable, CaseIterable {
    case archive
    case thumbnail = "archive-thumbnail"
    case change = "archive-change"
    case cameras
    case snapshot
    case timeline
    case recording
    case eventImage = "event-picture"
  }
}

extension DeviceContent.Kind {
  /// What the device may send.
  public func maximumBytes(_ limits: HubLimits) -> Int64 {
    switch self {
    case .archive: limits.archiveMaximumBytes
    case .snapshot, .eventImage, .thumbnail: limits.snapshotMaximumBytes
    case .cameras, .timeline, .recording, .change: limits.timelineMaximumBytes
    }
  }

  /// Whether the answer is a JPEG image, whatever the device says.
  public var isImage: Bool {
    switch self {
    case .snapshot, .eventImage, .thumbnail: true
    case .archive, .change, .cameras, .timeline, .recording: false
    }
  }

  /// Of one user.
  public func requestsPerMinute(_ limits: HubLimits) -> Int {
    switch self {
    case .archive: limits.archiveRequestsPerMinute
    case .cameras, .snapshot: limits.snapshotRequestsPerMinute
    case .timeline: limits.timelineRequestsPerMinute
    case .recording, .change: limits.recordingRequestsPerMinute
    case .eventImage, .thumbnail: limits.eventImageRequestsPerMinute
    }
  }

  /// What there were too many of.
  public var requests: String {
    switch self {
    case .archive: "archive requests"
    case .thumbnail: "images of archives"
    case .change: "changes of archives"
    case .cameras: "lists of cameras"
    case .snapshot: "snapshots"
    case .timeline: "looks at the timeline"
    case .recording: "requests to record"
    case .eventImage: "images of events"
    }
  }

  /// For users who may not have it.
  public var refusal: HubRefusal {
    switch self {
    case .archive, .thumbnail, .change: .notAllowed("archives are for operators")
    case .cameras, .snapshot: .notAllowed("snapshots of devices are for operators")
    case .timeline, .eventImage: .notAllowed("events of devices are for operators")
    case .recording: .notAllowed("devices record for operators")
    }
  }

  /// For users who are no devices.
  public var absence: HubRefusal {
    switch self {
    case .archive, .thumbnail, .change: .notFound("this user has no archives")
    case .cameras, .snapshot: .notFound("this user has no camera that can be asked")
    case .timeline, .eventImage: .notFound("this user notices no events")
    case .recording: .notFound("this user records nothing")
    }
  }

  /// Where the device has none.
  public var lack: HubRefusal {
    switch self {
    case .archive: .notFound("the device has no such archive")
    case .thumbnail: .notFound("the device has no image of the archive")
    case .change: .notFound("the device has no such archive, or is older than the hub")
    case .cameras: .notFound("the device names no cameras: it is older than the hub")
    case .snapshot: .notFound("the camera delivers no frame now")
    case .timeline: .notFound("the device reports no events: it is older than the hub, or there are too many")
    case .eventImage: .notFound("the device has no image of the event")
    case .recording: .notFound("the device is older than the hub")
    }
  }
}
