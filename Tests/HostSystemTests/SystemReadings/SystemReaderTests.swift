import ControlMessages
import Foundation
import HostSystem
import Testing

@Suite("System readings")
struct SystemReaderTests {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ls-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private func zone(_ number: Int, type: String?, temperature: String?, in folder: String) throws {
    let zone = "\(folder)/thermal_zone\(number)"
    try FileManager.default.createDirectory(atPath: zone, withIntermediateDirectories: true)
    try type?.write(toFile: "\(zone)/type", atomically: false, encoding: .utf8)
    try temperature?.write(toFile: "\(zone)/temp", atomically: false, encoding: .utf8)
  }

  @Test("temperatures are those of zones that can be read")
  func temperatures() throws {
    try withFolder { folder in
      try zone(0, type: "cpu-thermal\n", temperature: "48250\n", in: folder)
      try zone(1, type: "wifi\n", temperature: nil, in: folder)
      try zone(2, type: nil, temperature: "-5000\n", in: folder)
      try zone(3, type: "broken\n", temperature: "hot\n", in: folder)
      let read = SystemReader(thermalFolder: folder).read().temperatures
      #expect(read.map(\.zone) == ["cpu-thermal", "thermal_zone2"])
      #expect(read.map(\.celsius) == [48.25, -5])
    }
  }

  @Test(
    "available memory is told in bytes, and not at all where the kernel does not say",
    arguments: [
      ("MemTotal: 5 kB\nMemAvailable:   2048 kB\n", Int64?(2_097_152)), ("MemTotal: 5 kB\n", nil),
      ("MemAvailable: 9223372036854775807 kB\n", nil),
    ])
  func memory(text: String, bytes: Int64?) throws {
    try withFolder { folder in
      try text.write(toFile: "\(folder)/meminfo", atomically: false, encoding: .utf8)
      #expect(SystemReader(memoryFile: "\(folder)/meminfo").read().availableMemory == bytes)
    }
  }

  @Test("a machine without any of it tells of the process all the same")
  func nothing() {
    let read = SystemReader(thermalFolder: "/nowhere", memoryFile: "/nowhere").read()
    #expect(read.temperatures.isEmpty && read.availableMemory == nil)
    #expect(read.residentMemory ?? 0 > 1_000_000)
    #expect(read.processorTime ?? 0 > 0)
  }
}
