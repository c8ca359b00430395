import Foundation
import EventDetection
import HostSystem
import Testing

@Suite struct HardwareReaderTests {
  /// Has files written below the root of a sysfs of its own.
  private func withFiles(_ files: [String: String], _ body: (HardwareReader) throws -> Void) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))").path
    defer { try? FileManager.default.removeItem(atPath: root) }
    for (path, text) in files {
      let file = URL(fileURLWithPath: "\(root)/class/\(path)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try "\(text)\n".write(to: file, atomically: false, encoding: .utf8)
    }
    try body(HardwareReader(root: root))
  }

  private func temperature(_ sensor: String? = nil) -> HardwareCondition {
    .temperature(TemperatureLimit(sensor: sensor, threshold: 80, hysteresis: 3))
  }

  private func reading(_ reader: HardwareReader, _ condition: HardwareCondition) -> HardwareReading? {
    try? reader.read(condition)
  }

  private func complaint(_ reader: HardwareReader, _ condition: HardwareCondition) -> String {
    do throws(HardwareAbsence) {
      return "\(try reader.read(condition))"
    } catch {
      return error.description
    }
  }

  private let sensors = [
    "thermal/thermal_zone0/type": "acpitz", "thermal/thermal_zone0/temp": "99000",
    "thermal/thermal_zone1/type": "cpu-thermal", "thermal/thermal_zone1/temp": "48250",
    "thermal/thermal_zone2/type": "cpu-thermal", "thermal/thermal_zone2/temp": "51000",
    "thermal/thermal_zone3/type": "soc_thermal", "thermal/thermal_zone3/temp": "-274000",
    "hwmon/hwmon0/name": "nvme", "hwmon/hwmon0/temp1_input": "61850", "hwmon/hwmon0/temp1_label": "Composite",
    "hwmon/hwmon1/name": "k10temp", "hwmon/hwmon1/temp1_input": "50000",
  ]

  @Test func theProcessorsHottestSensorIsTheUsualOne() throws {
    try withFiles(sensors) { #expect(reading($0, temperature()) == .value(51)) }
    try withFiles(sensors.merging(["hwmon/hwmon1/temp1_input": "70000"]) { $1 }) {
      #expect(reading($0, temperature()) == .value(70))
    }
    try withFiles(["thermal/thermal_zone0/type": "acpitz", "thermal/thermal_zone0/temp": "40000"]) {
      #expect(reading($0, temperature()) == .value(40))
    }
  }

  @Test(
    "sensors have names",
    arguments: [
      ("cpu-thermal", 51.0), ("thermal_zone1", 48.25), ("nvme", 61.85), ("nvme/Composite", 61.85),
      ("nvme/temp1", 61.85),
      ("acpitz", 99),
    ])
  func names(name: String, celsius: Double) throws {
    try withFiles(sensors) { #expect(reading($0, temperature(name)) == .value(celsius)) }
  }

  @Test func sensorsThatTellNothingAreTold() throws {
    try withFiles(sensors) {
      #expect(complaint($0, temperature("gpu")).contains("no temperature sensor \"gpu\"; there are acpitz"))
      #expect(complaint($0, temperature("soc_thermal")).contains("reports no temperature"))
    }
    try withFiles(["hwmon/hwmon0/name": "nvme", "hwmon/hwmon0/temp1_input": "hot"]) {
      #expect(complaint($0, temperature()).contains("there are nvme"))
      #expect(complaint($0, temperature("nvme")).contains("reports no temperature"))
    }
    try withFiles([:]) { #expect(complaint($0, temperature()).contains("there is none below")) }
  }

  private func supply(_ name: String, _ values: [String: String]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: values.map { ("power_supply/\(name)/\($0.key)", $0.value) })
  }

  private func machine(_ online: String, battery: [String: String] = [:]) -> [String: String] {
    supply("AC", ["type": "Mains", "online": online])
      .merging(supply("BAT0", ["type": "Battery", "capacity": "40", "status": "Discharging"].merging(battery) { $1 })) {
        $1
      }
      .merging(supply("mouse", ["type": "Battery", "capacity": "3", "scope": "Device", "status": "Discharging"])) { $1 }
  }

  @Test func mainsAreWhatIsOnline() throws {
    try withFiles(machine("1")) { #expect(reading($0, .mainsLost(supply: nil)) == .state(false)) }
    try withFiles(machine("0")) {
      #expect(reading($0, .mainsLost(supply: nil)) == .state(true))
      #expect(complaint($0, .mainsLost(supply: "ADP1")).contains("no supply \"ADP1\"; there are AC (Mains), BAT0"))
    }
    let other = machine("0").merging(supply("usb", ["type": "USB", "online": "2"])) { $1 }
    try withFiles(other) {
      #expect(reading($0, .mainsLost(supply: nil)) == .state(false))
      #expect(reading($0, .mainsLost(supply: "AC")) == .state(true))
    }
  }

  @Test func aBatteryAloneTellsByItsStatus() throws {
    for (status, isLost) in [("Discharging", true), ("Charging", false), ("Full", false), ("Not charging", false)] {
      try withFiles(supply("ups", ["type": "UPS", "status": status])) {
        #expect(reading($0, .mainsLost(supply: nil)) == .state(isLost))
      }
    }
    try withFiles(supply("ups", ["type": "UPS", "status": "Unknown"])) {
      #expect(complaint($0, .mainsLost(supply: nil)).contains("no supply reports whether the mains are there"))
    }
    try withFiles(machine("yes", battery: ["status": "Charging"])) {
      #expect(reading($0, .mainsLost(supply: nil)) == .state(false))
    }
  }

  @Test func batteriesAreThoseOfTheDevice() throws {
    let low = HardwareCondition.batteryLow(BatteryLimit(threshold: 15))
    try withFiles(machine("0")) {
      #expect(reading($0, low) == .value(40))
      #expect(reading($0, .batteryLow(BatteryLimit(supply: "mouse", threshold: 15))) == .value(3))
    }
    for capacity in ["101", "-1", "", "9999999999999999999999", "4e1"] {
      try withFiles(machine("0", battery: ["capacity": capacity])) {
        #expect(complaint($0, low).contains("no supply reports how full a battery is"))
      }
    }
    try withFiles(machine("0", battery: ["present": "0"])) { #expect(complaint($0, low).contains("no supply reports")) }
  }

  @Test func underVoltageIsWhatAChipTells() throws {
    let files = ["hwmon/hwmon0/name": "cpu_thermal", "hwmon/hwmon2/name": "rpi_volt"]
    try withFiles(files) { #expect(complaint($0, .underVoltage).contains("raspberrypi-hwmon")) }
    for (text, isLow) in [("0", false), ("1", true)] {
      try withFiles(files.merging(["hwmon/hwmon2/in0_lcrit_alarm": text]) { $1 }) {
        #expect(reading($0, .underVoltage) == .state(isLow))
      }
    }
  }
}
