public import DeviceConfiguration
import DigitalIO

/// A line that is held, and set active for pulses; GPIO's in the daemon, fakes in tests.
public protocol OutputLine: Sendable {
  func set(isActive: Bool) throws
}

extension GPIOOutput: OutputLine {}

/// GPIO lines by their configuration.
public enum ActionLines {
  /// The consumer as other programs see it.
  private static let consumer = "livesessionsd"

  /// Requests the line; it is inactive from then on.
  public static func open(_ line: ActionLine) throws -> any OutputLine {
    let name: GPIOLineName =
      switch line.place {
      case .offset(let offset): .offset(offset)
      case .name(let name): .name(name)
      }
    return try GPIOChip(line.chip).output(
      name, GPIOOutputSettings(isActiveLow: line.isActiveLow), isActive: false, consumer: consumer)
  }

  /// Sets lines inactive that a daemon left as they were, and releases them. Returns what could not be done.
  ///
  /// Most chips keep the level of a line that is released.
  public static func makeSafe(_ lines: [ActionLine]) -> [any Error] {
    lines.compactMap { line in
      do {
        _ = try open(line)
        return nil
      } catch {
        return error
      }
    }
  }
}
