/// What a device answers to `GET …/cameras`.
public struct CameraNames: Codable, Hashable, Sendable {
  /// The main one first.
  public var items: [CameraName]

  public init(items: [CameraName]) { self.items = items }
}
