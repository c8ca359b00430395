import SystemSupport

/// Thermal zones, and the temperatures of hwmon chips.
struct TemperatureSensors: Sendable {
  let root: String

  /// More of either are ignored.
  private static let maxCount = 64
  /// Plausible degrees Celsius: a sensor without its probe reports impossible values.
  private static let believed = -60.0...250.0
  private static let processorChips = ["coretemp", "k10temp", "zenpower", "via_cputemp"]

  private struct Sensor {
    /// Those by which it may be chosen, the best first.
    var names: [String]
    var path: String
    var isProcessor: Bool

    var celsius: Double? {
      guard let millidegrees = kernelNumber(path) else { return nil }
      let celsius = Double(millidegrees) / 1_000
      return TemperatureSensors.believed.contains(celsius) ? celsius : nil
    }
  }

  /// The hottest of the sensors of a name; without one of the processor's, and where there is none, of all zones.
  func celsius(_ name: String?) throws(HardwareAbsence) -> Double {
    let all = zones + chips
    let chosen = name.map { name in all.filter { $0.names.contains(name) } } ?? usual(all)
    if let hottest = chosen.compactMap(\.celsius).max() { return hottest }
    let names = Set(all.compactMap(\.names.first)).sorted().joined(separator: ", ")
    let there = names.isEmpty ? "there is none below \(root)/class" : "there are \(names)"
    guard let name else { throw HardwareAbsence(description: "no sensor reports the CPU temperature; \(there)") }
    guard chosen.isEmpty else { throw HardwareAbsence(description: "the sensor \"\(name)\" reports no temperature") }
    throw HardwareAbsence(description: "there is no temperature sensor \"\(name)\"; \(there)")
  }

  private func usual(_ all: [Sensor]) -> [Sensor] {
    let processor = all.filter(\.isProcessor)
    return processor.isEmpty ? zones : processor
  }

  private var zones: [Sensor] {
    let folder = "\(root)/class/thermal"
    return FolderEntries.names(in: folder).filter { $0.hasPrefix("thermal_zone") }.prefix(Self.maxCount).map { name in
      let type = kernelWord("\(folder)/\(name)/type")
      return Sensor(
        names: [type, name].compactMap(\.self), path: "\(folder)/\(name)/temp",
        isProcessor: type.map(Self.isProcessor) ?? false)
    }
  }

  private static func isProcessor(_ type: String) -> Bool {
    type == "x86_pkg_temp" || type.hasPrefix("soc") || type.contains("cpu") || type.contains("CPU")
  }

  private var chips: [Sensor] {
    let folder = "\(root)/class/hwmon"
    let sensors = FolderEntries.names(in: folder).prefix(Self.maxCount).flatMap { chip -> [Sensor] in
      guard let name = kernelWord("\(folder)/\(chip)/name") else { return [] }
      return inputs(of: name, in: "\(folder)/\(chip)")
    }
    return Array(sensors.prefix(4 * Self.maxCount))
  }

  private func inputs(of chip: String, in folder: String) -> [Sensor] {
    FolderEntries.names(in: folder).filter { $0.hasPrefix("temp") && $0.hasSuffix("_input") }.map { file in
      let number = file.dropLast("_input".count)
      let label = kernelWord("\(folder)/\(number)_label").map { "\(chip)/\($0)" }
      return Sensor(
        names: [label, "\(chip)/\(number)", chip].compactMap(\.self), path: "\(folder)/\(file)",
        isProcessor: Self.processorChips.contains(chip) || Self.isProcessor(chip))
    }
  }
}
