import Foundation

/// What crosses the scene: its silhouette and tones, its way, and when it is seen.
struct Subject {
  enum Kind: CaseIterable { case small, person, large, slow }

  let kind: Kind
  let width: Int
  let height: Int
  /// Tones and silhouettes of two steps of its gait.
  let sprites: [Sprite]
  let hasShadow: Bool
  /// Frames in which it moves, from the first on.
  let first: Int
  private let start: (x: Double, y: Double)
  private let velocity: (x: Double, y: Double)
  private let stopAt: Double
  private let stopFrames: Int
  let last: Int

  /// - Parameter contrast: the least difference of its main tone from what is behind it.
  init(_ kind: Kind, at frame: Int, before backdrop: Plane, contrast: Double, tones: ClosedRange<Double>,
       _ random: inout Random) {
    self.kind = kind
    first = frame
    let scale = random.number(0.7...1.3)
    let size = Self.size(kind, scale, &random)
    (width, height) = size
    let speed = Self.speed(kind, &random)
    let isRightward = random.chance(0.5)
    let y = random.number(160...Double(Frame.height - height / 2 - 4)) - Double(height) / 2
    start = (isRightward ? -Double(width) : Double(Frame.width), max(y, 4))
    let slope = random.number(-0.12...0.12)
    velocity = ((isRightward ? 1 : -1) * speed / Double(Frame.rate), slope * speed / Double(Frame.rate))
    let crossing = Double(Frame.width + width) / abs(velocity.x)
    stopAt = random.number(0.25...0.7) * crossing
    stopFrames = kind == .person && random.chance(0.4) ? random.whole(30...200) : 0
    last = frame + Int(crossing) + stopFrames
    let tone = Self.tone(against: backdrop, from: start.y, height: height, contrast, tones, &random)
    sprites = (0..<2).map { _ in Sprite(kind, size.0, size.1, tone: tone, tones: tones, &random) }
    hasShadow = random.chance(0.5)
  }

  private static func size(_ kind: Kind, _ scale: Double, _ random: inout Random) -> (Int, Int) {
    let (width, height): (Double, Double) =
      switch kind {
      case .small: (random.number(16...34), random.number(14...26))
      case .person: (random.number(30...50), random.number(90...140))
      case .large: (random.number(150...260), random.number(80...150))
      case .slow: (random.number(24...60), random.number(30...100))
      }
    return (Int(width * (kind == .small ? 1 : scale)), Int(height * (kind == .small ? 1 : scale)))
  }

  /// Samples a second.
  private static func speed(_ kind: Kind, _ random: inout Random) -> Double {
    switch kind {
    case .small: random.number(30...160)
    case .person: random.number(25...120)
    case .large: random.number(60...300)
    case .slow: random.number(7...18)
    }
  }

  /// One that is seen before what lies along the middle of its way.
  private static func tone(
    against backdrop: Plane, from top: Double, height: Int, _ contrast: Double, _ tones: ClosedRange<Double>,
    _ random: inout Random
  ) -> Double {
    let row = min(Int(top) + height / 2, Frame.height - 1) * Frame.width
    let behind = stride(from: 0, to: Frame.width, by: 8).map { Double(backdrop.bytes[row + $0]) }
    for _ in 0..<200 {
      let tone = random.number(tones)
      let apart = behind.filter { abs($0 - tone) >= contrast }
      if apart.count * 10 >= behind.count * 7 { return tone }
    }
    let mean = behind.reduce(0, +) / Double(behind.count)
    return mean > (tones.lowerBound + tones.upperBound) / 2 ? tones.lowerBound : tones.upperBound
  }

  /// The upper left corner, nil when it is not there.
  func place(_ frame: Int) -> (x: Int, y: Int)? {
    guard (first...last) ~= frame else { return nil }
    var moved = Double(frame - first)
    if moved > stopAt { moved = max(stopAt, moved - Double(stopFrames)) }
    return (Int((start.x + velocity.x * moved).rounded()), Int((start.y + velocity.y * moved).rounded()))
  }

  /// Whether at least a third of it is in the picture.
  func isSeen(_ frame: Int) -> Bool {
    guard let place = place(frame) else { return false }
    let seen = min(place.x + width, Frame.width) - max(place.x, 0)
    return seen * 3 >= width && place.y < Frame.height - height / 3
  }
}

/// Tones and opacity of a subject.
struct Sprite {
  let tones: [UInt8]
  let opacity: [UInt8]

  init(_ kind: Subject.Kind, _ width: Int, _ height: Int, tone: Double, tones range: ClosedRange<Double>, _ random: inout Random) {
    let noise = ValueNoise(width: width, height: height, spacing: 5, &random)
    let texture = (range.upperBound - range.lowerBound) * random.number(0.02...0.06)
    let second = min(max(tone + random.number(-0.35...0.35) * (range.upperBound - range.lowerBound), range.lowerBound),
      range.upperBound)
    var (values, alphas): ([UInt8], [UInt8]) = ([], [])
    for y in 0..<height {
      for x in 0..<width {
        let (u, v) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
        let part = Self.part(kind, u, v)
        values.append(clamped((part == 2 ? second : tone) + noise(x, y) * texture))
        alphas.append(part == 0 ? 0 : 255)
      }
    }
    (self.tones, opacity) = (values, alphas)
  }

  /// 0 outside, 1 where it has its main tone, 2 the other.
  private static func part(_ kind: Subject.Kind, _ u: Double, _ v: Double) -> Int {
    func ellipse(_ cx: Double, _ cy: Double, _ rx: Double, _ ry: Double) -> Bool {
      let (dx, dy) = ((u - cx) / rx, (v - cy) / ry)
      return dx * dx + dy * dy <= 1
    }
    switch kind {
    case .small:
      if ellipse(0.85, 0.35, 0.15, 0.3) { return 2 }
      return ellipse(0.45, 0.5, 0.42, 0.38) || v > 0.6 && (0.15...0.3 ~= u || 0.6...0.75 ~= u) ? 1 : 0
    case .person, .slow:
      if ellipse(0.5, 0.1, 0.2, 0.1) { return 2 }
      if 0.2...0.55 ~= v { return 0.12...0.88 ~= u ? 1 : 0 }
      return v > 0.55 && (0.2...0.47 ~= u || 0.53...0.8 ~= u) ? 2 : 0
    case .large:
      if ellipse(0.2, 0.85, 0.1, 0.15) || ellipse(0.8, 0.85, 0.1, 0.15) { return 2 }
      if 0.1...0.35 ~= v, 0.25...0.45 ~= u || 0.55...0.75 ~= u { return 2 }
      return 0.4...0.9 ~= v || (v <= 0.4 && 0.18...0.82 ~= u) ? 1 : 0
    }
  }
}

extension Subject {
  func draw(on picture: Plane, _ frame: Int) {
    guard let place = place(frame) else { return }
    if hasShadow { drawShadow(on: picture, place) }
    let sprite = sprites[frame / 4 % 2]
    for y in 0..<height where 0..<Frame.height ~= place.y + y {
      let row = (place.y + y) * Frame.width
      for x in 0..<width where 0..<Frame.width ~= place.x + x && sprite.opacity[y * width + x] != 0 {
        picture.bytes[row + place.x + x] = sprite.tones[y * width + x]
      }
    }
  }

  /// On the ground, to the right.
  private func drawShadow(on picture: Plane, _ place: (x: Int, y: Int)) {
    let (rx, ry) = (Double(width) * 0.8, max(Double(height) * 0.12, 3))
    let (cx, cy) = (Double(place.x) + Double(width) * 0.9, Double(place.y + height))
    for y in max(Int(cy - ry), 0)..<max(min(Int(cy + ry), Frame.height), max(Int(cy - ry), 0)) {
      for x in max(Int(cx - rx), 0)..<max(min(Int(cx + rx), Frame.width), max(Int(cx - rx), 0)) {
        let (dx, dy) = ((Double(x) - cx) / rx, (Double(y) - cy) / ry)
        let depth = 1 - 0.4 * (1 - smooth(dx * dx + dy * dy, 0.6, 1))
        let index = y * Frame.width + x
        picture.bytes[index] = UInt8(Double(picture.bytes[index]) * depth)
      }
    }
  }
}
