import ConfigFile
import EventDetection

/// What is too fast, too hot, or too little.
extension EventSourceReader {
  func speedLimit() -> SpeedLimit? {
    if !table.contains("threshold") { table.addMissing("threshold", example: "\"90km/h\"") }
    let threshold = table.speed("threshold", in: 0.5...300, "0.5 m/s to 300 m/s")
    let hysteresis = table.speed("hysteresis", in: 0...300, "0 m/s to 300 m/s")
    guard let threshold, let text = table.string("threshold") else { return nil }
    let limit = SpeedLimit(
      threshold: threshold, hysteresis: hysteresis ?? threshold / 10,
      unit: SpeedUnit.allCases.first { text.hasSuffix($0.rawValue) } ?? .metresPerSecond)
    guard limit.hysteresis < threshold else {
      table.addError("hysteresis is not less than threshold", remedy: "the event would never end", at: "hysteresis")
      return nil
    }
    return limit
  }

  func temperatureCondition() -> HardwareCondition {
    .temperature(
      TemperatureLimit(
        sensor: part("sensor"), threshold: table.number("threshold", in: -40...150) ?? 80,
        hysteresis: table.number("hysteresis", in: 0...50) ?? 3))
  }

  private enum PowerTrouble: String, CaseIterable {
    case mainsLost = "mains-lost"
    case batteryLow = "battery-low"
    case underVoltage = "under-voltage"
  }

  /// Nil where the file has mistakes, which are reported.
  func powerCondition() -> HardwareCondition? {
    let (trouble, supply) = (table.choice("on", as: PowerTrouble.self), part("supply"))
    if !table.contains("on") { table.addMissing("on", example: "\"mains-lost\"") }
    let threshold = table.number("threshold", in: 1...99) ?? 15
    guard let trouble else { return nil }
    if trouble != .batteryLow { refuse("threshold", with: trouble) }
    if trouble == .underVoltage { refuse("supply", with: trouble) }
    return switch trouble {
    case .mainsLost: .mainsLost(supply: supply)
    case .batteryLow: .batteryLow(BatteryLimit(supply: supply, threshold: threshold))
    case .underVoltage: .underVoltage
    }
  }

  private func refuse(_ key: String, with trouble: PowerTrouble) {
    guard table.contains(key) else { return }
    table.addError("\(key) does nothing with on = \"\(trouble.rawValue)\"", remedy: "remove it", at: key)
  }

  /// The name of a part of the machine; nil without the key, and for an invalid name, which is reported.
  private func part(_ key: String) -> String? {
    guard let name = table.string(key) else { return nil }
    guard (1...127).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
      table.addError("\(key) must have 1 to 127 bytes and no control characters", at: key)
      return nil
    }
    return name
  }
}
