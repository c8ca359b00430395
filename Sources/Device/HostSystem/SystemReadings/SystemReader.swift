public import ControlMessages
import Glibc
import SystemSupport
import RealtimeRuntime

/// Reads the kernel's figures for process and machine. Blocks for moments: some sensors answer slowly.
public struct SystemReader: Sendable {
  private let thermalFolder: String
  private let memoryFile: String

  /// - Parameters:
  ///   - thermalFolder: holds one folder a thermal zone.
  ///   - memoryFile: as proc_meminfo(5) describes it.
  public init(thermalFolder: String = "/sys/class/thermal", memoryFile: String = "/proc/meminfo") {
    self.thermalFolder = thermalFolder
    self.memoryFile = memoryFile
  }

  /// The readings of this moment, without the uptime.
  public func read() -> SystemTelemetry {
    var system = SystemTelemetry()
    system.residentMemory = ProcessMemory.residentBytes.map { Int64(clamping: $0) }
    system.availableMemory = availableMemory
    system.processorTime = processorTime
    system.temperatures = temperatures
    system.clockSynchronized = ClockTrust.isSynchronized
    return system
  }

  /// `MemAvailable` in bytes; the file has it in KiB.
  private var availableMemory: Int64? {
    let lines = (SmallFile.text(memoryFile) ?? "").split(separator: "\n")
    let fields = lines.first { $0.hasPrefix("MemAvailable:") }?.split(separator: " ") ?? []
    guard fields.count > 1, let kibibytes = Int64(fields[1]) else { return nil }
    let (bytes, overflow) = kibibytes.multipliedReportingOverflow(by: 1_024)
    return overflow ? nil : bytes
  }

  private var processorTime: Double? {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Zones that cannot be read now, such as that of a radio that is off, are left out.
  private var temperatures: [SystemTelemetry.Temperature] {
    FolderEntries.names(in: thermalFolder).filter { $0.hasPrefix("thermal_zone") }.compactMap { name in
      let zone = "\(thermalFolder)/\(name)"
      guard let text = SmallFile.text("\(zone)/temp"), let millidegrees = Int(text.prefix { $0 != "\n" }) else {
        return nil
      }
      let type = SmallFile.text("\(zone)/type").map { String($0.prefix { $0 != "\n" }) }
      return SystemTelemetry.Temperature(zone: type ?? name, celsius: Double(millidegrees) / 1_000)
    }
  }
}
