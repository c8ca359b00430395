import Foundation
import TestSupport

/// What changes the picture though nothing goes anywhere.
protocol Disturbance {
  func draw(on picture: Plane, _ frame: Int)
}

private func seconds(_ frame: Int) -> Double { Double(frame) / Double(Frame.rate) }

/// How strong the wind is, 0 to 1: gusts of some seconds with calm between.
struct Wind {
  private let phases: [Double]

  init(_ random: inout Random) { phases = (0..<3).map { _ in random.number(0...(2 * .pi)) } }

  func callAsFunction(_ frame: Int) -> Double {
    let t = seconds(frame)
    let value = sin(t / 7 + phases[0]) + 0.6 * sin(t / 2.3 + phases[1]) + 0.8 * sin(t / 31 + phases[2])
    return smooth(value, -1, 1.6)
  }
}

/// Trees whose twigs sway.
struct Foliage: Disturbance {
  private struct Twig {
    let x: Double, y: Double, rx: Double, ry: Double
    let reach: Double, rate: Double, phase: Double
    let tones: [UInt8]
    var side: Int { Int(2 * rx) + 1 }
  }

  private let wind: Wind
  private let twigs: [Twig]

  init(brightness: Double, _ random: inout Random) {
    wind = Wind(&random)
    let trees = random.whole(1...3)
    var twigs: [Twig] = []
    for _ in 0..<trees {
      let (cx, cy) = (random.number(30...610), random.number(40...300))
      for _ in 0..<random.whole(5...9) {
        let (rx, ry) = (random.number(14...44), random.number(12...34))
        let noise = ValueNoise(width: Int(2 * rx) + 2, height: Int(2 * ry) + 2, spacing: 4, &random)
        let base = random.number(50...110)
        let tones = (0..<(Int(2 * rx) + 1) * (Int(2 * ry) + 1)).map { index in
          clamped(brightness * (base + 38 * noise(index % (Int(2 * rx) + 1), index / (Int(2 * rx) + 1))))
        }
        twigs.append(
          Twig(
            x: cx + random.number(-60...60), y: cy + random.number(-60...60), rx: rx, ry: ry,
            reach: random.number(2...13), rate: random.number(1.2...4.5), phase: random.number(0...6.28), tones: tones))
      }
    }
    self.twigs = twigs
  }

  func draw(on picture: Plane, _ frame: Int) {
    let (t, strength) = (seconds(frame), wind(frame))
    for twig in twigs {
      let sway = strength * (0.5 + 0.5 * sin(t * twig.rate + twig.phase)) + 0.08 * sin(2.7 * t * twig.rate)
      let (dx, dy) = (twig.reach * sway, twig.reach * 0.3 * sway)
      draw(twig, Int((twig.x + dx).rounded()), Int((twig.y + dy).rounded()), on: picture)
    }
  }

  private func draw(_ twig: Twig, _ cx: Int, _ cy: Int, on picture: Plane) {
    let (rx, ry) = (Int(twig.rx), Int(twig.ry))
    for y in -ry...ry where 0..<Frame.height ~= cy + y {
      let half = Int(twig.rx * (1 - Double(y * y) / (twig.ry * twig.ry)).squareRoot())
      let (left, right) = (max(-half, -cx), min(half, Frame.width - 1 - cx))
      guard left <= right else { continue }
      for x in left...right {
        picture.bytes[(cy + y) * Frame.width + cx + x] = twig.tones[(y + ry) * twig.side + x + rx]
      }
    }
  }
}

/// Streaks that are elsewhere in each picture.
struct Rain: Disturbance {
  let seed: UInt64
  let drops: Int
  let brightness: Int

  func draw(on picture: Plane, _ frame: Int) {
    var random = Random(seed: seed &+ UInt64(frame))
    for _ in 0..<drops {
      let (x, y, length) = (random.whole(0...Frame.width - 3), random.whole(-20...Frame.height), random.whole(10...46))
      let (width, slant) = (random.whole(1...2), random.whole(0...6))
      for step in 0..<length where 0..<Frame.height ~= y + step {
        for column in 0..<width {
          let index = (y + step) * Frame.width + min(x + column + slant * step / length, Frame.width - 1)
          picture.bytes[index] = UInt8(min(Int(picture.bytes[index]) + brightness, 255))
        }
      }
    }
  }
}

/// Clouds before the sun: bands of soft shade that travel over all.
struct Clouds: Disturbance {
  private let (cosine, sine): (Double, Double)
  private let speed: Double
  private let depth: Double
  private let spacing: Double
  private let softness: Double
  private let offset: Double

  init(_ random: inout Random) {
    let angle = random.number(0...(2 * .pi))
    (cosine, sine) = (cos(angle), sin(angle))
    speed = random.number(40...160)
    depth = random.number(0.3...0.5)
    spacing = random.number(2_000...6_000)
    softness = random.number(80...300)
    offset = random.number(0...6_000)
  }

  func draw(on picture: Plane, _ frame: Int) {
    let shift = offset + seconds(frame) * speed
    for y in 0..<Frame.height {
      for x in 0..<Frame.width {
        let place = (Double(x) * cosine + Double(y) * sine + shift).truncatingRemainder(dividingBy: spacing)
        let u = place < 0 ? place + spacing : place
        let shade = smooth(u, spacing * 0.4, spacing * 0.4 + softness) - smooth(u, spacing * 0.8, spacing * 0.8 + softness)
        guard shade > 0 else { continue }
        let index = y * Frame.width + x
        picture.bytes[index] = UInt8(Double(picture.bytes[index]) * (1 - depth * shade))
      }
    }
  }
}

/// Shadows of what is itself not in the picture, with soft edges.
struct PassingShadows: Disturbance {
  private struct Shadow {
    let first: Int, last: Int
    let y: Double, rx: Double, ry: Double, speed: Double, depth: Double, edge: Double
  }

  private let shadows: [Shadow]

  init(frames: Int, _ random: inout Random) {
    var shadows: [Shadow] = []
    var frame = random.whole(30...200)
    while frame < frames {
      let (rx, ry) = (random.number(25...120), random.number(10...60))
      let speed = random.number(12...90) * (random.chance(0.5) ? 1 : -1)
      let last = frame + Int((640 + 2 * rx) / abs(speed) * Double(Frame.rate))
      shadows.append(
        Shadow(
          first: frame, last: last, y: random.number(220...460), rx: rx, ry: ry, speed: speed / Double(Frame.rate),
          depth: random.number(0.25...0.5), edge: random.number(0.25...0.7)))
      frame = last + random.whole(50...300)
    }
    self.shadows = shadows
  }

  func draw(on picture: Plane, _ frame: Int) {
    for shadow in shadows where shadow.first...shadow.last ~= frame {
      let way = shadow.speed * Double(frame - shadow.first)
      draw(shadow, shadow.speed > 0 ? way - shadow.rx : 640 + shadow.rx + way, on: picture)
    }
  }

  private func draw(_ shadow: Shadow, _ cx: Double, on picture: Plane) {
    let (top, bottom) = (max(Int(shadow.y - shadow.ry), 0), min(Int(shadow.y + shadow.ry), Frame.height))
    let (left, right) = (max(Int(cx - shadow.rx), 0), min(Int(cx + shadow.rx), Frame.width))
    guard left < right else { return }
    for y in top..<bottom {
      for x in left..<right {
        let (dx, dy) = ((Double(x) - cx) / shadow.rx, (Double(y) - shadow.y) / shadow.ry)
        let shade = shadow.depth * (1 - smooth((dx * dx + dy * dy).squareRoot(), 1 - shadow.edge, 1))
        let index = y * Frame.width + x
        picture.bytes[index] = UInt8(Double(picture.bytes[index]) * (1 - shade))
      }
    }
  }
}

/// A lamp that is switched, and the camera that adapts its exposure afterwards.
struct Lamp: Disturbance {
  private let field: [Double]
  private let switches: [Int]
  private let ramp: Int

  init(frames: Int, _ random: inout Random) {
    let (cx, cy) = (random.number(0...640), random.number(0...300))
    let (ambient, reach) = (random.number(0.25...0.6), random.number(150...500))
    field = (0..<Frame.count).map { index in
      let (dx, dy) = (Double(index % Frame.width) - cx, Double(index / Frame.width) - cy)
      return ambient + (1 - ambient) * 0.9 * (1 - exp(-(dx * dx + dy * dy).squareRoot() / reach))
    }
    ramp = random.whole(1...3)
    var (times, frame) = ([Int](), random.whole(60...300))
    while frame < frames {
      times.append(frame)
      frame += random.whole(150...700)
    }
    switches = times
  }

  func draw(on picture: Plane, _ frame: Int) {
    let done = switches.filter { $0 <= frame }
    let isOff = done.count % 2 == 1
    let since = Double(frame - (done.last ?? -1_000))
    let change = min((since + 1) / Double(ramp), 1)
    let dark = isOff ? change : 1 - change
    let adapted = 1 - exp(-since / 8)
    let exposure = 1 + 0.35 * (isOff ? adapted : 1 - adapted)
    guard dark > 0 || since < 60 else { return }
    for index in 0..<Frame.count {
      let gain = (1 - dark + dark * field[index]) * (done.isEmpty ? 1 : exposure)
      picture.bytes[index] = UInt8(min(Double(picture.bytes[index]) * gain, 255))
    }
  }
}

/// Automatic exposure that hunts.
struct Exposure: Disturbance {
  private let phases: [Double]
  private let steps: [(frame: Int, gain: Double)]

  init(frames: Int, _ random: inout Random) {
    phases = (0..<2).map { _ in random.number(0...6.28) }
    var (steps, frame) = ([(frame: Int, gain: Double)](), 0)
    while frame < frames {
      steps.append((frame, random.number(0.7...1.25)))
      frame += random.whole(100...500)
    }
    self.steps = steps
  }

  func draw(on picture: Plane, _ frame: Int) {
    let index = steps.lastIndex { $0.frame <= frame } ?? 0
    let previous = index > 0 ? steps[index - 1].gain : 1
    let mixed = smooth(Double(frame - steps[index].frame), 0, 12)
    let gain = (previous * (1 - mixed) + steps[index].gain * mixed) * (1 + 0.05 * sin(seconds(frame) * 1.3 + phases[0]))
    let table = (0..<256).map { UInt8(min(Double($0) * gain, 255)) }
    for index in 0..<Frame.count { picture.bytes[index] = table[Int(picture.bytes[index])] }
  }
}

/// A pole in the wind: the whole picture is displaced by up to some samples.
final class Shake: Disturbance {
  private let wind: Wind
  private let reach: Double
  private let rate: Double
  private let copy = Plane(width: Frame.width, height: Frame.height)

  init(_ random: inout Random) {
    wind = Wind(&random)
    reach = random.number(0.8...2.5)
    rate = random.number(4...9)
  }

  func draw(on picture: Plane, _ frame: Int) {
    let strength = reach * wind(frame)
    shift(picture, 256 * strength * sin(seconds(frame) * rate), stride: 1)
    shift(picture, 256 * 0.6 * strength * sin(seconds(frame) * rate * 0.8 + 1), stride: Frame.width)
  }

  private func shift(_ picture: Plane, _ amount: Double, stride: Int) {
    copy.copy(from: picture)
    let whole = Int((amount / 256).rounded(.down))
    let part = Int(amount) - whole * 256
    let margin = stride * (abs(whole) + 1)
    for index in margin..<Frame.count - margin {
      let place = index + whole * stride
      picture.bytes[index] = UInt8((Int(copy.bytes[place]) * (256 - part) + Int(copy.bytes[place + stride]) * part) >> 8)
    }
  }
}

/// The sensor's noise.
struct SensorNoise {
  private let samples: [Int16]
  private let seed: UInt64

  init(deviation: Double, seed: UInt64) {
    var random = Random(seed: seed)
    samples = (0..<1 << 17).map { _ in Int16((random.gaussian() * deviation).rounded()) }
    self.seed = seed
  }

  func draw(on picture: Plane, _ frame: Int) {
    var random = Random(seed: seed &+ 7 &+ UInt64(frame))
    samples.withUnsafeBufferPointer { samples in
      for row in 0..<Frame.height {
        let from = Int(random.next() % UInt64(samples.count - Frame.width))
        let line = picture.bytes + row * Frame.width
        for x in 0..<Frame.width {
          line[x] = UInt8(truncatingIfNeeded: min(max(Int16(line[x]) &+ samples[from &+ x], 0), 255))
        }
      }
    }
  }
}
