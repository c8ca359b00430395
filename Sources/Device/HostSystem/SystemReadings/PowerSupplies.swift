import SystemSupport

/// What the kernel knows of mains and batteries (sysfs-class-power), and of a voltage that is too low.
struct PowerSupplies: Sendable {
  let root: String

  /// More are ignored.
  private static let maxCount = 64

  private struct Supply {
    var name: String
    var path: String
    /// `Mains`, `USB`, `Wireless`, `Battery` or `UPS`.
    var type: String

    var isBattery: Bool { type == "Battery" || type == "UPS" }
    /// Of something that is connected, such as a mouse.
    var isOfAnother: Bool { kernelWord("\(path)/scope") == "Device" }
    /// Nil where it is unknown. 1 is fixed, 2 programmable (USB).
    var isOnline: Bool? { kernelNumber("\(path)/online").map { $0 > 0 } }

    /// Whether it covers the device's load, as far as a battery shows.
    var isDischarging: Bool? {
      switch kernelWord("\(path)/status") {
      case "Discharging": true
      case "Charging", "Full", "Not charging": false
      default: nil
      }
    }

    var capacity: Double? {
      guard kernelNumber("\(path)/present") != 0, let capacity = kernelNumber("\(path)/capacity") else { return nil }
      return (0...100).contains(capacity) ? Double(capacity) : nil
    }
  }

  /// Whether a supply feeds the device from outside: by the supplies that report it, else by whether its batteries
  /// discharge.
  func hasMains(_ name: String?) throws(HardwareAbsence) -> Bool {
    let chosen = try chosen(name)
    let online = chosen.filter { !$0.isBattery }.compactMap(\.isOnline)
    if !online.isEmpty { return online.contains(true) }
    let discharging = chosen.filter(\.isBattery).compactMap(\.isDischarging)
    guard !discharging.isEmpty else { throw absence(name, "whether the mains are there") }
    return !discharging.contains(true)
  }

  /// Per cent of the fullest battery.
  func capacity(_ name: String?) throws(HardwareAbsence) -> Double {
    let capacities = try chosen(name).filter(\.isBattery).compactMap(\.capacity)
    guard let fullest = capacities.max() else { throw absence(name, "how full a battery is") }
    return fullest
  }

  /// Whether a chip says that its first voltage is critically low, as the Raspberry Pi's does.
  func isVoltageLow() throws(HardwareAbsence) -> Bool {
    let folder = "\(root)/class/hwmon"
    let alarms = FolderEntries.names(in: folder).prefix(Self.maxCount)
      .compactMap { kernelNumber("\(folder)/\($0)/in0_lcrit_alarm") }
    guard !alarms.isEmpty else {
      throw HardwareAbsence(
        description: "no chip reports under-voltage: there is no in0_lcrit_alarm below \(folder); "
          + "a Raspberry Pi has it with the module raspberrypi-hwmon")
    }
    return alarms.contains { $0 != 0 }
  }

  private func chosen(_ name: String?) throws(HardwareAbsence) -> [Supply] {
    guard let name else { return supplies.filter { !$0.isOfAnother } }
    let named = supplies.filter { $0.name == name }
    guard named.isEmpty else { return named }
    throw HardwareAbsence(description: "there is no supply \"\(name)\"; \(there)")
  }

  private func absence(_ name: String?, _ what: String) -> HardwareAbsence {
    let who = name.map { "the supply \"\($0)\" does not report" } ?? "no supply reports"
    return HardwareAbsence(description: "\(who) \(what); \(there)")
  }

  private var there: String {
    let names = supplies.map { "\($0.name) (\($0.type))" }
    return names.isEmpty
      ? "there is none below \(root)/class/power_supply" : "there are \(names.joined(separator: ", "))"
  }

  private var supplies: [Supply] {
    let folder = "\(root)/class/power_supply"
    return FolderEntries.names(in: folder).prefix(Self.maxCount).compactMap { name in
      kernelWord("\(folder)/\(name)/type").map { Supply(name: name, path: "\(folder)/\(name)", type: $0) }
    }
  }
}
