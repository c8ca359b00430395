/// Where pictures of the camera come from, for the hub.
public protocol SnapshotProviding: Sendable {
  /// A JPEG, within some seconds; nil where there is none, which is logged.
  func snapshot() async -> [UInt8]?
}
