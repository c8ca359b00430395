public import Signalling

/// What the hub offers of a device.
public enum DeviceContent: Sendable, Hashable {
  /// - Parameter range: the `Range` header, as it came.
  case archive(ArchivePath, range: String?)
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
    guard case .archive(_, let range) = self else { return nil }
    return range
  }

  public var kind: Kind {
    switch self {
    case .archive: .archive
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
    case .snapshot, .eventImage: limits.snapshotMaximumBytes
    case .cameras, .timeline, .recording: limits.timelineMaximumBytes
    }
  }

  /// Whether the answer is a JPEG image, whatever the device says.
  public var isImage: Bool {
    switch self {
    case .snapshot, .eventImage: true
    case .archive, .cameras, .timeline, .recording: false
    }
  }

  /// Of one user.
  public func requestsPerMinute(_ limits: HubLimits) -> Int {
    switch self {
    case .archive: limits.archiveRequestsPerMinute
    case .cameras, .snapshot: limits.snapshotRequestsPerMinute
    case .timeline: limits.timelineRequestsPerMinute
    case .recording: limits.recordingRequestsPerMinute
    case .eventImage: limits.eventImageRequestsPerMinute
    }
  }

  /// What there were too many of.
  public var requests: String {
    switch self {
    case .archive: "archive requests"
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
    case .archive: .notAllowed("archives are for operators")
    case .cameras, .snapshot: .notAllowed("snapshots of devices are for operators")
    case .timeline, .eventImage: .notAllowed("events of devices are for operators")
    case .recording: .notAllowed("devices record for operators")
    }
  }

  /// For users who are no devices.
  public var absence: HubRefusal {
    switch self {
    case .archive: .notFound("this user has no archives")
    case .cameras, .snapshot: .notFound("this user has no camera that can be asked")
    case .timeline, .eventImage: .notFound("this user notices no events")
    case .recording: .notFound("this user records nothing")
    }
  }

  /// Where the device has none.
  public var lack: HubRefusal {
    switch self {
    case .archive: .notFound("the device has no such archive")
    case .cameras: .notFound("the device names no cameras: it is older than the hub")
    case .snapshot: .notFound("the camera delivers no frame now")
    case .timeline: .notFound("the device reports no events: it is older than the hub, or there are too many")
    case .eventImage: .notFound("the device has no image of the event")
    case .recording: .notFound("the device is older than the hub")
    }
  }
}
