/// Takes snapshots of a camera on request, whether it is in use or not.
public protocol SnapshotTaking: Sendable {
  /// A JPEG of what the camera sees, with privacy masks and overlay; one for all who ask within a short time.
  ///
  /// Ends within a few seconds.
  ///
  /// - Parameter camera: the name of a further camera; nil for the main one.
  func take(of camera: String?) async throws(SnapshotError) -> [UInt8]
}

/// Why there is no snapshot.
public enum SnapshotError: Error, Sendable, Hashable {
  /// None is configured.
  case noCamera
  /// No further camera is named so; there are these.
  case unknownCamera(String, known: [String])
  /// `auto` has found none.
  case notFound
  case muted
  /// It does not work; names it and says why.
  case failed(reason: String)
  /// It was opened, and nothing came.
  case noImage(seconds: Int)
  /// The daemon is being stopped.
  case stopped
}

extension SnapshotError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noCamera: "this device has no camera: camera is \"none\" in [video] of its configuration"
    case .unknownCamera(let name, let known):
      known.isEmpty
        ? "this device has one camera; leave \"\(name)\" out, or add [[camera]] to its configuration"
        : "this device has no further camera \"\(name)\"; it has \(known.joined(separator: ", "))"
    case .notFound: "no camera was found; livesessions devices lists those that the system has"
    case .muted: "the camera is muted; livesessions unmute camera ends that, unless a party of a call has muted it"
    case .failed(let reason): "the camera delivers no frame: \(reason)"
    case .noImage(let seconds): "the camera has delivered no frame in \(seconds) seconds; see livesessions status"
    case .stopped: "the daemon is being stopped"
    }
  }
}
