/// What uploads have come to.
public struct UploadStatus: Codable, Sendable, Hashable {
  /// Where archives go.
  public var destination: String
  /// The archive that is being sent.
  public var archiveID: String?
  /// Whether nothing is sent because of a call.
  public var isPaused = false
  /// Archives of which the store lacks something, the one that is being sent among them, and how many bytes.
  public var waitingArchives = 0
  public var waitingBytes: Int64 = 0
  /// Archives whose last file has been sent, since the daemon's start.
  public var uploadedArchives = 0
  /// Bytes of content sent since the daemon's start, also those that had to be sent again.
  public var sentBytes: Int64 = 0
  /// Attempts that failed since the daemon's start.
  public var failures = 0

  public init(destination: String) { self.destination = destination }
}

/// Uploads as the control socket shows them.
public protocol UploadReporting: ProblemReporting {
  var uploadStatus: UploadStatus { get }
}

/// Figures of uploads; all but what waits are counted since the daemon's start.
public struct UploadTelemetry: Codable, Sendable, Hashable {
  public var archivesWaiting: Int
  public var bytesWaiting: Int64
  public var archivesUploaded: Int
  public var bytesSent: Int64
  public var failures: Int

  public init(_ status: UploadStatus) {
    archivesWaiting = status.waitingArchives
    bytesWaiting = status.waitingBytes
    archivesUploaded = status.uploadedArchives
    bytesSent = status.sentBytes
    failures = status.failures
  }
}
