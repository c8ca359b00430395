/// What a device tells the hub of something that it has noticed, for whoever the hub tells of it (`POST /v1/device-events`).
public struct DeviceEventReport: Codable, Sendable, Hashable {
  /// A rectangle of the picture, in thousandths of its width and height, from the upper left.
  public struct Region: Codable, Sendable, Hashable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    /// Takes all as it is.
    public init(x: Int, y: Int, width: Int, height: Int) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// Unique on the device; who is told of the same one again knows it.
  public var id: DetectedEventID
  /// `motion`, `tamper`, `sound`, `smoke-alarm`, `geofence`, `speed`, `temperature`, `power`, `input`, or what later versions know.
  public var kind: EventWord
  /// The source's name in the device's configuration.
  public var source: GivenName
  /// The device's name for the camera, where it was noticed by another one than the main one.
  public var camera: CameraName?
  /// By the device's clock, in milliseconds since 1970.
  public var start: Int64
  /// 0 to 100, when it was told.
  public var score: Int
  public var region: Region?
  /// Of which kind more exactly, such as `covered`, or a reading, such as `92 km/h`.
  public var detail: GivenName?
  /// Whether the device's clock could be trusted.
  public var clockSynchronized: Bool
  /// The device's rule by which it is told.
  public var rule: GivenName

  public init(
    id: DetectedEventID, kind: EventWord, source: GivenName, start: Int64, score: Int, clockSynchronized: Bool,
    rule: GivenName
  ) {
    self.id = id
    self.kind = kind
    self.source = source
    self.start = start
    self.score = score
    self.clockSynchronized = clockSynchronized
    self.rule = rule
  }
}

/// What the hub's webhooks are sent of an event at a device.
public struct DeviceEventNotice: Codable, Sendable, Hashable {
  public static let typeName = "device.event"

  /// ``typeName``.
  public var type: String
  public var deviceID: String
  public var deviceTitle: String
  /// By the hub's clock, in milliseconds since 1970.
  public var receivedAt: Int64
  public var event: DeviceEventReport

  public init(deviceID: String, deviceTitle: String, receivedAt: Int64, event: DeviceEventReport) {
    type = Self.typeName
    self.deviceID = deviceID
    self.deviceTitle = deviceTitle
    self.receivedAt = receivedAt
    self.event = event
  }
}
