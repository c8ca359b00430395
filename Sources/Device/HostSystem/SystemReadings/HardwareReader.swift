public import EventDetection

/// Why something about the machine cannot be read, and what to do.
public struct HardwareAbsence: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}

/// Reads sensors and supplies from sysfs. Blocks for moments: some sensors answer slowly.
public struct HardwareReader: Sendable {
  private let sensors: TemperatureSensors
  private let supplies: PowerSupplies

  /// - Parameter root: where sysfs is mounted.
  public init(root: String = "/sys") {
    sensors = TemperatureSensors(root: root)
    supplies = PowerSupplies(root: root)
  }

  /// What a condition is judged by, at this moment.
  public func read(_ condition: HardwareCondition) throws(HardwareAbsence) -> HardwareReading {
    switch condition {
    case .temperature(let limit): .value(try sensors.celsius(limit.sensor))
    case .mainsLost(let supply): .state(!(try supplies.hasMains(supply)))
    case .batteryLow(let limit): .value(try supplies.capacity(limit.supply))
    case .underVoltage: .state(try supplies.isVoltageLow())
    }
  }
}

/// A number as a file of sysfs has it; nil where there is none, or another text.
func kernelNumber(_ path: String) -> Int? {
  kernelWord(path).flatMap { text in text.utf8.count <= 12 ? Int(text) : nil }
}

/// The first line of a file of sysfs without spaces around it; nil where there is none, or it is empty.
func kernelWord(_ path: String) -> String? {
  guard let line = SmallFile.text(path)?.split(separator: "\n", maxSplits: 1).first else { return nil }
  let word = line.drop { $0 == " " }
  return word.isEmpty ? nil : String(word)
}
