/// What `livesessions devices` prints for people.
extension DevicesReport {
  func show() {
    let wanted = request.format.map { " as \($0)" } ?? ""
    Output.printLine("cameras, asked for \(request.width)×\(request.height) at \(request.frameRate)/s\(wanted):")
    if cameras.isEmpty { Output.printLine("  none") }
    for camera in cameras { show(camera) }
    Output.printLine("sound cards:")
    if soundCards.isEmpty { Output.printLine("  none") }
    Output.printTable(soundCards.map(row))
    Output.printLine("auto means:")
    Output.printTable([
      ["  camera", automatic.camera], ["  microphone", automatic.microphone], ["  speaker", automatic.speaker],
    ])
    if !problems.isEmpty { Output.printLine("problems:") }
    for problem in problems { Output.printLine("  \(problem)") }
  }

  private func show(_ camera: Camera) {
    Output.printLine("  \(camera.stablePath ?? camera.path)")
    Output.printLine("    \(camera.name), driver \(camera.driver), at \(camera.bus), node \(camera.path)")
    if camera.inputs.count > 1 {
      let inputs = camera.inputs.enumerated().map { "\($0.offset) \"\($0.element)\"" }
      Output.printLine("    inputs: \(inputs.joined(separator: ", "))")
    }
    if let choice = camera.choice {
      let rate = choice.frameRate.map { ", up to \(Self.number($0))/s" } ?? ""
      Output.printLine("    would deliver \(choice.format) \(choice.width)×\(choice.height)\(rate)")
    }
    Output.printTable(camera.formats.map { ["    \($0.format)", $0.handling, $0.description, Self.sizes(of: $0)] })
  }

  private func row(_ card: SoundCard) -> [String] {
    let abilities = [card.canCapture ? "microphone" : nil, card.canPlay ? "speaker" : nil]
    return ["  \(card.name)", card.title, abilities.compactMap(\.self).joined(separator: ", ")]
  }

  /// Sizes with their highest rate.
  private static func sizes(of format: Format) -> String {
    if let range = format.sizeRange {
      return "\(range.minimumWidth)×\(range.minimumHeight) to \(range.maximumWidth)×\(range.maximumHeight)"
    }
    return format.sizes.map { size in
      "\(size.width)×\(size.height)" + (size.frameRates.first.map { "@\(number($0))" } ?? "")
    }.joined(separator: " ")
  }

  /// Two digits behind the point at most, none when they are zero.
  private static func number(_ value: Double) -> String {
    let hundredths = Int(exactly: (value * 100).rounded()) ?? .max
    if hundredths % 100 == 0 { return "\(hundredths / 100)" }
    return "\(Double(hundredths) / 100)"
  }
}
