public import MediaCore

/// What is detected, and where.
public struct MotionSettings: Hashable, Sendable {
  /// 1 to 100: how little has to differ from the background. 50 suits most cameras.
  public var sensitivity: Int
  /// Ignored areas, as in front of a road or a screen.
  public var masks: [FramePolygon]
  /// Where motion is reported, separately for each; at most ``maxZones``.
  public var zones: [MotionZone]

  public static var maxZones: Int { 8 }

  /// The whole frame is one zone unless others are named.
  public init(sensitivity: Int = 50, masks: [FramePolygon] = [], zones: [MotionZone] = [MotionZone()]) {
    self.sensitivity = min(max(sensitivity, 1), 100)
    self.masks = masks
    self.zones = Array(zones.prefix(Self.maxZones))
  }
}

/// A part of the frame in which motion is reported.
public struct MotionZone: Hashable, Sendable {
  /// Nil for the whole frame.
  public var area: FramePolygon?
  /// The smallest object that counts, as a fraction of the frame's area.
  public var smallestObject: Double

  /// 5 by 5 cells are 0.0013 of the frame.
  public init(area: FramePolygon? = nil, smallestObject: Double = 0.0004) {
    self.area = area
    self.smallestObject = smallestObject
  }
}
