import Foundation

/// A yard with a sky, walls with windows, and ground, all with texture; different for each seed.
func makeBackdrop(_ random: inout Random) -> Plane {
  let horizon = random.whole(100...220)
  let octaves = [(110.0, 22.0), (30.0, 10.0), (9.0, 6.0), (3.0, 4.0)].map { spacing, amplitude in
    (ValueNoise(width: Frame.width, height: Frame.height, spacing: spacing, &random), amplitude)
  }
  let (sky, ground) = (random.number(150...200), random.number(70...140))
  let walls = (0..<random.whole(2...5)).map { _ in Wall(horizon: horizon, &random) }
  let plane = Plane(width: Frame.width, height: Frame.height)
  for y in 0..<Frame.height {
    for x in 0..<Frame.width {
      var texture = octaves.reduce(0.0) { $0 + $1.0(x, y) * $1.1 }
      var base = y < horizon ? sky - Double(y) * 0.1 : ground + Double(y - horizon) * 0.08
      if y < horizon { texture *= 0.4 }
      for wall in walls { if let tone = wall.tone(x, y) { base = tone } }
      plane.bytes[y * Frame.width + x] = clamped(min(max(base + texture, 14), 238))
    }
  }
  return plane
}

private struct Wall {
  let left: Int, top: Int, right: Int, bottom: Int
  let brightness: Double
  let windowTone: Double
  let pitch: Int

  init(horizon: Int, _ random: inout Random) {
    left = random.whole(-40...560)
    right = left + random.whole(60...260)
    top = max(horizon - random.whole(40...160), 0)
    bottom = horizon + random.whole(0...40)
    brightness = random.number(60...200)
    windowTone = random.number(30...90)
    pitch = random.whole(24...48)
  }

  func tone(_ x: Int, _ y: Int) -> Double? {
    guard left..<right ~= x, top..<bottom ~= y else { return nil }
    let isWindow = (x - left) % pitch > pitch / 2 && (y - top) % pitch > pitch / 2
    return isWindow ? windowTone : brightness
  }
}
