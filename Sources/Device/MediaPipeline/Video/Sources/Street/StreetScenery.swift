internal import MediaCore

/// What stands still in the street: sky, houses, gardens, pavements and the road. Drawn once.
struct StreetScenery {
  private let painter: StreetPainter
  private let units: Int

  init(_ painter: StreetPainter) {
    self.painter = painter
    units = StreetPainter.unitsWide(painter.width, painter.height)
  }

  func draw() {
    drawSky()
    drawHills()
    drawHouses()
    drawGardens()
    drawRoad()
    drawLamp(52)
    roughen()
  }

  // MARK: Sky

  private func drawSky() {
    let horizon = painter.pixels(250)
    for row in 0..<max(horizon, 1) {
      let part = row * 256 / max(horizon, 1)
      let colour = YUVColour(red: 120 + part * 100 / 256, green: 165 + part * 62 / 256, blue: 215 + part * 22 / 256)
      painter.fill(row, 0, painter.width, colour)
    }
    for index in 0..<units / 110 + 1 {
      let chance = StreetChance.number(index, 11)
      drawCloud(index * 110 + chance % 60, 26 + chance / 64 % 70, 30 + chance / 4_096 % 36)
    }
  }

  /// Several soft heaps, each brighter than what is behind it.
  private func drawCloud(_ x: Int, _ y: Int, _ size: Int) {
    for index in 0..<7 {
      let chance = StreetChance.number(x, index)
      brighten(
        x + (index - 3) * size / 3, y - chance % (size / 4 + 1), size / 2 + chance / 32 % (size / 4),
        size / 5 + chance / 1_024 % (size / 8 + 1))
    }
  }

  private func brighten(_ x: Int, _ y: Int, _ radiusX: Int, _ radiusY: Int) {
    let (centre, middle) = (painter.pixels(x), painter.pixels(y))
    let (wide, high) = (max(painter.pixels(radiusX), 1), max(painter.pixels(radiusY), 1))
    for row in max(middle - high, 0)..<max(min(middle + high, painter.height), 0, middle - high) {
      for column in max(centre - wide, 0)..<max(min(centre + wide, painter.width), 0, centre - wide) {
        let across = (column - centre) * 64 / wide
        let down = (row - middle) * 64 / high
        let weight = max(0, 4_096 - across * across - down * down)
        soften(column, row, weight)
      }
    }
  }

  /// - Parameter weight: up to 4096, at which it is nearly white.
  private func soften(_ column: Int, _ row: Int, _ weight: Int) {
    let luma = painter.y + row * painter.yStride + column
    luma.pointee += UInt8((228 - min(Int(luma.pointee), 228)) * weight / 8_192)
    guard row & 1 == 0, column & 1 == 0 else { return }
    let offset = row / 2 * painter.chromaStride + column / 2
    for plane in [painter.u + offset, painter.v + offset] {
      plane.pointee = UInt8(clamping: Int(plane.pointee) + (128 - Int(plane.pointee)) * weight / 8_192)
    }
  }

  private func drawHills() {
    for index in 0..<units / 34 + 2 {
      let chance = StreetChance.number(index, 23)
      let colour = YUVColour(red: 96 + chance % 14, green: 122 + chance % 18, blue: 104)
      painter.ellipse(index * 34, 232, 30 + chance / 32 % 14, 26 + chance / 512 % 16, colour)
    }
    painter.rectangle(0, 230, units + 1, 306, YUVColour(red: 92, green: 118, blue: 84))
  }

  // MARK: Houses

  private struct House {
    var wall: YUVColour
    var roof: YUVColour
    var door: YUVColour
    var width: Int
    var eaves: Int
    var ridge: Int
  }

  private static let houses = [
    House(
      wall: YUVColour(red: 206, green: 190, blue: 160), roof: YUVColour(red: 138, green: 74, blue: 58),
      door: YUVColour(red: 52, green: 84, blue: 70), width: 148, eaves: 186, ridge: 128),
    House(
      wall: YUVColour(red: 178, green: 104, blue: 84), roof: YUVColour(red: 84, green: 82, blue: 88),
      door: YUVColour(red: 228, green: 222, blue: 206), width: 116, eaves: 168, ridge: 118),
    House(
      wall: YUVColour(red: 200, green: 206, blue: 208), roof: YUVColour(red: 104, green: 84, blue: 74),
      door: YUVColour(red: 148, green: 52, blue: 48), width: 160, eaves: 194, ridge: 142),
    House(
      wall: YUVColour(red: 166, green: 182, blue: 166), roof: YUVColour(red: 122, green: 66, blue: 52),
      door: YUVColour(red: 62, green: 70, blue: 104), width: 126, eaves: 176, ridge: 120),
  ]
  private static let ground = 304

  private func drawHouses() {
    var (left, index) = (-38, 0)
    while left < units {
      let house = Self.houses[index % Self.houses.count]
      draw(house, at: left)
      left += house.width + 14
      index += 1
    }
  }

  private func draw(_ house: House, at left: Int) {
    let right = left + house.width
    let chimney = YUVColour(red: 126, green: 78, blue: 64)
    painter.rectangle(right - 38, house.ridge - 14, right - 24, house.ridge + 22, chimney)
    painter.rectangle(right - 40, house.ridge - 17, right - 22, house.ridge - 13, chimney.brighter(by: 22))
    painter.rectangle(left, house.eaves - 2, right, Self.ground, house.wall)
    painter.rectangle(right - 10, house.eaves, right, Self.ground, house.wall.brighter(by: -14))
    painter.rectangle(left, house.eaves, right, house.eaves + 5, house.wall.brighter(by: -34))
    painter.rectangle(left, Self.ground - 14, right, Self.ground, house.wall.brighter(by: -40))
    drawRoof(house, left, right)
    drawWindows(house, left)
    drawDoor(house, left + house.width * 5 / 8)
  }

  private func drawRoof(_ house: House, _ left: Int, _ right: Int) {
    let slope = (house.eaves - house.ridge) * 5 / 8
    painter.trapezoid(
      (house.ridge, left + slope - 6, right - slope + 6), (house.eaves, left - 6, right + 6), house.roof)
    for line in stride(from: house.ridge + 6, to: house.eaves, by: 7) {
      let inset = slope * (house.eaves - line) / (house.eaves - house.ridge) - 6
      painter.rectangle(left + inset, line, right - inset, line + 1, house.roof.brighter(by: -14))
    }
    painter.rectangle(
      left + slope - 6, house.ridge, right - slope + 6, house.ridge + 3, house.roof.brighter(by: 16))
    painter.rectangle(left - 6, house.eaves - 2, right + 6, house.eaves + 1, YUVColour(y: 206))
  }

  private func drawWindows(_ house: House, _ left: Int) {
    let step = house.width / 3
    for column in 0..<3 {
      let x = left + step / 2 - 11 + column * step
      drawWindow(x, house.eaves + 14, 22, 32, isLit: false)
      if column != 1 && x + 22 < left + house.width * 5 / 8 - 2 || column == 0 {
        drawWindow(x, house.eaves + 66, 24, 30, isLit: StreetChance.number(left, column) % 3 == 0)
      }
    }
  }

  private func drawWindow(_ x: Int, _ y: Int, _ width: Int, _ height: Int, isLit: Bool) {
    painter.rectangle(x - 3, y - 3, x + width + 3, y + height + 3, YUVColour(y: 218))
    let glass = isLit ? YUVColour(red: 214, green: 182, blue: 118) : YUVColour(red: 62, green: 78, blue: 94)
    painter.rectangle(x, y, x + width, y + height, glass)
    painter.trapezoid((y, x + 3, x + width / 3), (y + height, x, x + 2), glass.brighter(by: 22))
    painter.rectangle(x + width / 2 - 1, y, x + width / 2 + 1, y + height, YUVColour(y: 214))
    painter.rectangle(x, y + height / 3, x + width, y + height / 3 + 2, YUVColour(y: 214))
    painter.rectangle(x - 5, y + height + 3, x + width + 5, y + height + 6, YUVColour(y: 168))
  }

  private func drawDoor(_ house: House, _ x: Int) {
    let top = Self.ground - 54
    painter.rectangle(x - 3, top - 3, x + 27, Self.ground, YUVColour(y: 214))
    painter.rectangle(x, top, x + 24, Self.ground, house.door)
    painter.rectangle(x + 4, top + 5, x + 20, top + 18, YUVColour(red: 76, green: 92, blue: 104))
    painter.rectangle(x + 19, top + 28, x + 22, top + 31, YUVColour(red: 206, green: 176, blue: 96))
    painter.trapezoid((top - 12, x - 2, x + 26), (top - 4, x - 10, x + 34), house.roof)
    painter.rectangle(x - 6, Self.ground - 4, x + 30, Self.ground, YUVColour(y: 150))
  }

  // MARK: Ground

  private func drawGardens() {
    painter.rectangle(0, Self.ground, units + 1, 322, YUVColour(red: 98, green: 132, blue: 72))
    for index in 0..<units / 9 + 2 where StreetChance.number(index / 6, 41) % 4 != 0 {
      let chance = StreetChance.number(index, 43)
      let colour = YUVColour(red: 58 + chance % 18, green: 92 + chance % 26, blue: 50)
      painter.ellipse(index * 9, 310, 9, 8 + chance / 64 % 4, colour)
      painter.ellipse(index * 9 - 2, 306, 4, 3, colour.brighter(by: 18))
    }
  }

  private func drawRoad() {
    let (far, kerb) = (YUVColour(red: 158, green: 154, blue: 148), YUVColour(red: 184, green: 182, blue: 176))
    painter.rectangle(0, 320, units + 1, 340, far)
    for x in stride(from: 0, to: units + 30, by: 30) { painter.rectangle(x, 320, x + 1, 338, far.brighter(by: -16)) }
    painter.rectangle(0, 337, units + 1, 341, kerb)
    painter.rectangle(0, 341, units + 1, 344, far.brighter(by: -60))
    painter.rectangle(0, 343, units + 1, 426, YUVColour(red: 88, green: 89, blue: 94))
    for x in stride(from: 12, to: units + 70, by: 68) {
      painter.trapezoid((382, x + 2, x + 38), (386, x, x + 36), YUVColour(red: 204, green: 202, blue: 192))
    }
    painter.rectangle(0, 422, units + 1, 426, YUVColour(red: 70, green: 71, blue: 75))
    painter.rectangle(0, 426, units + 1, 432, kerb.brighter(by: 8))
    let near = YUVColour(red: 168, green: 163, blue: 155)
    painter.rectangle(0, 432, units + 1, 480, near)
    painter.rectangle(0, 454, units + 1, 455, near.brighter(by: -20))
    for x in stride(from: -40, to: units + 60, by: 46) {
      painter.trapezoid((432, x + 14, x + 15), (480, x, x + 2), near.brighter(by: -20))
    }
  }

  private func drawLamp(_ x: Int) {
    let post = YUVColour(red: 64, green: 70, blue: 72)
    painter.rectangle(x, 154, x + 4, 334, post)
    painter.rectangle(x - 3, 316, x + 7, 334, post)
    painter.rectangle(x, 154, x + 30, 157, post)
    painter.trapezoid((156, x + 20, x + 34), (162, x + 17, x + 37), post)
    painter.rectangle(x + 19, 162, x + 35, 165, YUVColour(red: 240, green: 232, blue: 200))
  }

  /// Nothing outdoors is of one colour; below the sky, so that the sky stays smooth.
  private func roughen() {
    for row in painter.pixels(120)..<painter.height {
      let line = painter.y + row * painter.yStride
      for column in 0..<painter.width {
        let isSky = painter.u[row / 2 * painter.chromaStride + column / 2] > 134
        let grain = isSky || line[column] > 190 ? 0 : StreetChance.number(column, row) % 9 - 4
        line[column] = UInt8(clamping: min(max(Int(line[column]) + grain, 20), 228))
      }
    }
  }
}
