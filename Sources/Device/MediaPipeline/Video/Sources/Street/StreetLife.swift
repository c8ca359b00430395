internal import MediaCore

/// What moves in the street: a tree in the wind, people, cars. All follows from the time, so that any frame can be drawn alone.
struct StreetLife {
  /// What happens within a while, of which the rest is quiet.
  private enum Act: CaseIterable {
    case nothing, nearWalker, nearRunner, farWalker, farCouple, nearCar, farCar, walkerAndCar
  }

  private struct Blob {
    var x, y, radius, phase: Int
    var colour: YUVColour
  }

  private let units: Int
  /// Milliseconds from one act's beginning to the next.
  private let whileLength: Int
  private let leaves: [Blob]
  private let treeX: Int
  private let palette = StreetPalette()
  private let acts = Act.allCases

  /// Units beyond the frame from which everything comes.
  private static let margin = 100
  /// Milliseconds before an act.
  private static let lull = 1_500
  /// Units a second.
  private static let (nearPace, farPace, carPace) = (78, 56, 190)

  init(units: Int) {
    self.units = units
    whileLength = Self.lull + (units + 2 * Self.margin) * 1_000 / Self.farPace + 4_000
    let treeX = units * 13 / 16
    self.treeX = treeX
    leaves = (0..<110).map { index in
      let chance = StreetChance.number(index, 71)
      // Those below and to the right are in the shade of the others, and drawn first.
      let (x, y) = (chance % 121 - 60, index - 55)
      let within = (52 * 52 - y * y * 8 / 10).squareRoot
      let shade = -y / 3 - x / 6 + chance / 4_096 % 20
      return Blob(
        x: treeX + x * within / 60, y: 204 - y, radius: 9 + chance / 256 % 7, phase: chance % 4_000,
        colour: YUVColour(red: 62 + shade * 3 / 4, green: 104 + shade, blue: 50 + shade / 3))
    }
  }

  /// - Parameter time: milliseconds since the first frame.
  func draw(at time: Int, _ painter: StreetPainter) {
    drawTree(at: time, painter)
    let (count, within) = time.quotientAndRemainder(dividingBy: whileLength)
    let moment = within - Self.lull
    guard moment >= 0 else { return }
    let style = StreetChance.number(count, 97)
    draw(act(count), at: moment, style, painter)
  }

  /// The first two are no nothing, so that there is something to see soon.
  private func act(_ count: Int) -> Act {
    switch count {
    case 0: .nearWalker
    case 1: .walkerAndCar
    default: acts[StreetChance.number(count, 13) % acts.count]
    }
  }

  private func draw(_ act: Act, at moment: Int, _ style: Int, _ painter: StreetPainter) {
    switch act {
    case .nothing: break
    case .nearWalker: walk(moment, Self.nearPace, feet: 450, height: 128, style, painter)
    case .nearRunner: walk(moment, Self.nearPace * 2, feet: 454, height: 130, style, painter)
    case .farWalker: walk(moment, Self.farPace, feet: 336, height: 62, style, painter)
    case .farCouple:
      walk(moment, Self.farPace, feet: 333, height: 60, style, painter)
      walk(moment - 480, Self.farPace, feet: 337, height: 64, style ^ 0b1111_0000, painter)
    case .nearCar: drive(moment, wheels: 414, size: 112, isLeftward: false, style, painter)
    case .farCar: drive(moment, wheels: 372, size: 92, isLeftward: true, style, painter)
    case .walkerAndCar:
      walk(moment, Self.farPace, feet: 336, height: 62, style, painter)
      drive(moment - 3_500, wheels: 414, size: 112, isLeftward: false, style / 3, painter)
    }
  }

  // MARK: Tree

  private func drawTree(at time: Int, _ painter: StreetPainter) {
    let bark = YUVColour(red: 92, green: 74, blue: 58)
    painter.shade(treeX + 16, 318, 52, 7)
    painter.trapezoid((224, treeX - 5, treeX + 6), (316, treeX - 9, treeX + 10), bark)
    painter.trapezoid((224, treeX + 1, treeX + 6), (316, treeX + 3, treeX + 10), bark.brighter(by: -16))
    let gust = StreetChance.swing(time, period: 23_000, height: 3)
    // By index: an iterator of what is so large allocates where nothing is optimised.
    for index in leaves.indices {
      let leaf = leaves[index]
      let height = max(0, 270 - leaf.y)
      let sway = (StreetChance.swing(time + leaf.phase, period: 3_400, height: 2) + gust) * height / 120
      painter.ellipse(leaf.x + sway, leaf.y, leaf.radius, leaf.radius * 3 / 4, leaf.colour)
    }
  }

  // MARK: People

  private func walk(
    _ moment: Int, _ pace: Int, feet: Int, height: Int, _ style: Int, _ painter: StreetPainter
  ) {
    let way = moment * pace / 1_000
    guard moment >= 0, way < units + 2 * Self.margin else { return }
    let isLeftward = style & 1 == 1
    let x = isLeftward ? units + Self.margin - way : way - Self.margin
    let person = Person(
      x: x, feet: feet, height: height, facing: isLeftward ? -1 : 1,
      stride: StreetChance.swing(way, period: height * 9 / 10, height: 100),
      coat: palette.coats[style / 2 % palette.coats.count],
      trousers: palette.trousers[style / 16 % palette.trousers.count],
      skin: palette.skins[style / 64 % palette.skins.count], hair: palette.hairs[style / 256 % palette.hairs.count],
      hasBag: style / 1_024 % 3 == 0)
    person.draw(painter)
  }

  // MARK: Cars

  private func drive(
    _ moment: Int, wheels: Int, size: Int, isLeftward: Bool, _ style: Int, _ painter: StreetPainter
  ) {
    let way = moment * (Self.carPace + style % 50) / 1_000
    guard moment >= 0, way < units + 3 * Self.margin else { return }
    let x = isLeftward ? units + Self.margin * 3 / 2 - way : way - Self.margin * 3 / 2
    Car(
      x: x, wheels: wheels, size: size, facing: isLeftward ? -1 : 1, roll: way,
      paint: palette.paints[style / 8 % palette.paints.count]
    ).draw(painter)
  }
}

/// Colours, made before the first frame, since drawing allocates nothing.
private struct StreetPalette {
  let coats = [
    YUVColour(red: 172, green: 52, blue: 48), YUVColour(red: 44, green: 72, blue: 128),
    YUVColour(red: 206, green: 162, blue: 58), YUVColour(red: 62, green: 104, blue: 84),
    YUVColour(red: 72, green: 60, blue: 74), YUVColour(red: 190, green: 186, blue: 178),
  ]
  let trousers = [
    YUVColour(red: 48, green: 54, blue: 72), YUVColour(red: 60, green: 56, blue: 52),
    YUVColour(red: 110, green: 98, blue: 80),
  ]
  let skins = [
    YUVColour(red: 224, green: 184, blue: 158), YUVColour(red: 150, green: 106, blue: 78),
    YUVColour(red: 198, green: 152, blue: 116),
  ]
  let hairs = [
    YUVColour(red: 54, green: 40, blue: 32), YUVColour(red: 158, green: 120, blue: 66),
    YUVColour(red: 34, green: 32, blue: 34), YUVColour(red: 176, green: 172, blue: 168),
  ]

  let paints = [
    YUVColour(red: 150, green: 38, blue: 40), YUVColour(red: 192, green: 196, blue: 200),
    YUVColour(red: 46, green: 66, blue: 104), YUVColour(red: 56, green: 58, blue: 62),
    YUVColour(red: 86, green: 116, blue: 96),
  ]
}

/// A person on the pavement, from the side.
private struct Person {
  let x, feet, height, facing: Int
  /// Where the legs are, -100 to 100.
  let stride: Int
  let coat, trousers, skin, hair: YUVColour
  let hasBag: Bool

  /// Of hundredths of the height.
  private func part(_ hundredths: Int) -> Int { height * hundredths / 100 }
  private func level(_ hundredths: Int) -> Int { feet - part(hundredths) + abs(stride) * height / 8_000 }

  func draw(_ painter: StreetPainter) {
    painter.shade(x + part(8), feet, part(24), part(3))
    drawArm(-stride, coat.brighter(by: -24), painter)
    drawLeg(-stride, trousers.brighter(by: -12), painter)
    drawLeg(stride, trousers, painter)
    painter.trapezoid((level(84), x - part(8), x + part(8)), (level(48), x - part(9), x + part(9)), coat)
    painter.ellipse(x, level(82), part(9), part(4), coat)
    painter.trapezoid((level(50), x - part(9), x + part(9)), (level(42), x - part(10), x + part(10)), coat)
    if hasBag {
      painter.rectangle(x - facing * part(9) - part(4), level(78), x - facing * part(9) + part(4), level(56), hair)
    }
    drawHead(painter)
    drawArm(stride, coat.brighter(by: -10), painter)
  }

  private func drawHead(_ painter: StreetPainter) {
    painter.rectangle(x - part(2), level(88), x + part(3), level(83), skin.brighter(by: -14))
    painter.ellipse(x + facing * part(1), level(92), part(5), part(7), skin)
    painter.ellipse(x - facing * part(1), level(95), part(6), part(5), hair)
    painter.ellipse(x - facing * part(3), level(91), part(4), part(6), hair)
  }

  private func drawLeg(_ stride: Int, _ colour: YUVColour, _ painter: StreetPainter) {
    let (hip, knee, foot) = (x, x + facing * stride * height / 1_000, x + facing * stride * height / 560)
    // The leg behind is lifted.
    let lift = stride < 0 ? -stride * height / 2_600 : 0
    painter.trapezoid(
      (level(46), hip - part(6), hip + part(6)), (level(24), knee - part(4), knee + part(5)), colour)
    painter.trapezoid(
      (level(25), knee - part(4), knee + part(5)), (feet - part(3) - lift, foot - part(3), foot + part(3)), colour)
    let toe = foot + facing * part(3)
    painter.rectangle(
      toe - part(5), feet - part(4) - lift, toe + part(5), feet - lift, YUVColour(red: 40, green: 36, blue: 36))
  }

  private func drawArm(_ stride: Int, _ colour: YUVColour, _ painter: StreetPainter) {
    let hand = x - facing * stride * height / 760
    painter.trapezoid((level(82), x - part(3), x + part(3)), (level(50), hand - part(2), hand + part(3)), colour)
    painter.ellipse(hand, level(48), part(3), part(3), skin)
  }
}

/// A car from the side.
private struct Car {
  let x, wheels, size, facing, roll: Int
  let paint: YUVColour

  /// Of hundredths of the size, which is two thirds of the length.
  private func part(_ hundredths: Int) -> Int { size * hundredths / 100 }
  private func level(_ hundredths: Int) -> Int { wheels - part(hundredths) }
  /// Ahead of the middle.
  private func ahead(_ hundredths: Int) -> Int { x + facing * part(hundredths) }

  func draw(_ painter: StreetPainter) {
    painter.shade(x, wheels + part(2), part(80), part(7))
    span(level(26), level(8), 74, -74, paint.brighter(by: -20), painter)
    slope((level(37), -68, 66), (level(25), -74, 76), paint, painter)
    slope((level(62), -40, 18), (level(36), -64, 42), paint.brighter(by: 10), painter)
    let glass = YUVColour(red: 58, green: 74, blue: 86)
    slope((level(58), -36, -10), (level(38), -54, -10), glass, painter)
    slope((level(58), -6, 15), (level(38), -6, 33), glass, painter)
    span(level(37), level(35), 66, -68, paint.brighter(by: 26), painter)
    span(level(33), level(27), 76, 68, YUVColour(red: 236, green: 230, blue: 200), painter)
    span(level(33), level(27), -70, -75, YUVColour(red: 170, green: 30, blue: 30), painter)
    span(level(12), level(8), 76, -76, YUVColour(y: 44), painter)
    drawWheel(ahead(-46), painter)
    drawWheel(ahead(46), painter)
  }

  private func drawWheel(_ x: Int, _ painter: StreetPainter) {
    painter.ellipse(x, level(12), part(14), part(14), YUVColour(y: 30))
    painter.ellipse(x, level(12), part(8), part(8), YUVColour(y: 150))
    // A valve shows that it turns.
    let (across, down) = (
      StreetChance.swing(roll * 4, period: 360, height: part(6)),
      StreetChance.swing(roll * 4 + 90, period: 360, height: part(6))
    )
    painter.ellipse(x + facing * across, level(12) - down, part(2), part(2), YUVColour(y: 60))
  }

  private func span(
    _ top: Int, _ bottom: Int, _ front: Int, _ back: Int, _ colour: YUVColour, _ painter: StreetPainter
  ) {
    let (first, second) = (ahead(front), ahead(back))
    painter.rectangle(min(first, second), top, max(first, second), bottom, colour)
  }

  private func slope(
    _ top: (y: Int, back: Int, front: Int), _ bottom: (y: Int, back: Int, front: Int), _ colour: YUVColour,
    _ painter: StreetPainter
  ) {
    let (topBack, topFront, bottomBack, bottomFront) = (
      ahead(top.back), ahead(top.front), ahead(bottom.back), ahead(bottom.front)
    )
    painter.trapezoid(
      (top.y, min(topBack, topFront), max(topBack, topFront)),
      (bottom.y, min(bottomBack, bottomFront), max(bottomBack, bottomFront)), colour)
  }
}
