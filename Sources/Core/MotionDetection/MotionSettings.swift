public import MediaCore

/// What is looked for, and where.
public struct MotionSettings: Hashable, Sendable {
  /// 1 to 100: how little has to differ from the background. 50 suits most cameras.
  public var sensitivity: Int
  /// Where nothing is looked for, as in front of a road or a screen.
  public var masks: [FramePolygon]
  /// Where motion is told, each of its own; at most ``maxZones``.
  public var zones: [MotionZone]

  public static var maxZones: Int { 8 }

  /// The whole picture is one zone unless others are named.
  public init(sensitivity: Int = 50, masks: [FramePolygon] = [], zones: [MotionZone] = [MotionZone()]) {
    self.sensitivity = min(max(sensitivity, 1), 100)
    self.masks = masks
    self.zones = Array(zones.prefix(Self.maxZones))
  }
}

/// A part of the picture in which motion is told.
public struct MotionZone: Hashable, Sendable {
  /// Nil for the whole picture.
  public var area: FramePolygon?
  /// The smallest object that counts, as a fraction of the picture's area.
  public var smallestObject: Double

  /// 5 by 5 cells are 0.0013 of the picture.
  public init(area: FramePolygon? = nil, smallestObject: Double = 0.0004) {
    self.area = area
    self.smallestObject = smallestObject
  }
}
