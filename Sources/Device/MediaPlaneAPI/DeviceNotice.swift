public import MediaCore
public import Signalling

/// What operators should read of the device's hardware and disks; `description` is the line for them.
public enum DeviceNotice: Sendable, Hashable {
  /// Whether an operator may have to act on it.
  public enum Severity: Sendable, Hashable, Comparable {
    /// Nothing is wrong.
    case notice
    /// Something is not as it should be, or is so again.
    case warning
  }

  /// A camera (a further one by its name) or a microphone delivers, in this format.
  case deviceOpened(MuteTarget, camera: String? = nil, details: String)
  /// A device does not work; it is tried again.
  case deviceFailed(MuteTarget, camera: String? = nil, reason: String)
  /// A program that is a source has printed a line.
  case programPrinted(MuteTarget, camera: String? = nil, line: String)
  /// No thread could be made for the devices that a session's new offer asks for.
  case captureRefused(reason: String)
  /// A sound of the configuration cannot be played; names the file.
  case soundUnreadable(reason: String)
  /// Notices of sockets, and of STUN and TURN servers.
  case network(line: String)

  /// What retention did, such as a deletion.
  case retentionDone(line: String)
  /// What retention could not do.
  case retentionFailed(line: String)
  /// Archives are not kept within their limits.
  case retentionUnavailable(reason: String)
  /// Archives cannot be written, and what to do about it.
  case archiveFolderBroken(problem: String)
  case archiveFolderRecovered

  /// For the first time frames of an archive were lost, since the disk is too slow.
  case diskTooSlow(archiveID: ArchiveID, droppedFrames: Int)
  /// A stream brings more than it may write.
  case streamExceedsRate(archiveID: ArchiveID, streamID: String, limit: Bitrate)
  /// An archive was ended by a limit.
  case archiveEnded(archiveID: ArchiveID, reason: String, directory: String)
  /// An archive was ended by its disk.
  case archiveFailed(archiveID: ArchiveID, reason: String)
  /// Recordings will begin when they are asked for, not before.
  case preRollUnavailable(reason: String)
  /// An archive or the pre-roll does without a further camera.
  case cameraNotRecorded(camera: String, reason: String)

  public var severity: Severity {
    switch self {
    case .deviceOpened, .programPrinted, .network, .retentionDone: .notice
    // The end of a failure goes where its beginning went: readers of warnings alone see that it is over.
    case .archiveFolderRecovered: .warning
    case .deviceFailed, .captureRefused, .soundUnreadable, .retentionFailed, .retentionUnavailable,
      .archiveFolderBroken, .diskTooSlow,
      .streamExceedsRate, .archiveEnded, .archiveFailed, .preRollUnavailable, .cameraNotRecorded:
      .warning
    }
  }
}

extension MuteTarget {
  /// - Parameter camera: the name of a further one.
  fileprivate func title(_ camera: String?) -> String { camera.map { "\(rawValue) \($0)" } ?? rawValue }
}

extension DeviceNotice: CustomStringConvertible {
  public var description: String {
    switch self {
    case .deviceOpened(let device, let camera, let details): "\(device.title(camera)): \(details)"
    case .deviceFailed(let device, let camera, let reason): "\(device.title(camera)): \(reason)"
    case .programPrinted(let device, let camera, let line): "\(device.title(camera)): \(line)"
    case .captureRefused(let reason): reason
    case .soundUnreadable(let reason): "no sound: \(reason)"
    case .network(let line): "network: \(line)"
    case .retentionDone(let line), .retentionFailed(let line): line
    case .retentionUnavailable(let reason): "archives are not kept within their limits: \(reason)"
    case .archiveFolderBroken(let problem): "the archives' folder has a problem: \(problem)"
    case .archiveFolderRecovered: "the archives' folder works again"
    case .diskTooSlow(let archiveID, let frames):
      "archive \(archiveID): the disk is too slow: \(frames) frames lost so far"
    case .streamExceedsRate(let archiveID, let streamID, let limit):
      "archive \(archiveID): the \(streamID) sends more than caller_max_bitrate (\(limit.bitsPerSecond / 1_000) kbit/s): "
        + "video is left out of the recording"
    case .archiveEnded(let archiveID, let reason, let directory): "archive \(archiveID): \(reason) in \(directory)"
    case .archiveFailed(let archiveID, let reason): "archive \(archiveID): \(reason)"
    case .preRollUnavailable(let reason): "there is no pre-roll: \(reason)"
    case .cameraNotRecorded(let camera, let reason): "camera \(camera) is not recorded: \(reason)"
    }
  }
}
