internal import Glibc

/// A GPIO chip or line could not be used; with the cause and a remedy.
public struct GPIOError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Cause: Hashable, Sendable {
    /// A system call or ioctl failed with this `errno`.
    case system(call: String, errno: Int32)
    /// The file exists but is something else.
    case notAChip
    /// No chip has this name or label; these are there.
    case noSuchChip(present: [String])
    /// Several chips have the label.
    case ambiguousChip(paths: [String])
    /// The chip has no such line; it has this many.
    case noSuchLine(count: UInt32)
    /// Another program, or a driver of the kernel, has the line.
    case busy(consumer: String)
  }

  public let cause: Cause
  /// The chip as it was named.
  public let chip: String
  /// The line as it was named; nil where the chip itself is the matter.
  public let line: String?

  public init(_ cause: Cause, chip: String, line: GPIOLineName? = nil) {
    self.cause = cause
    self.chip = chip
    self.line = line.map { $0.description }
  }

  /// Whether the chip is gone (unplugged, or its driver unbound).
  public var isChipGone: Bool {
    switch cause {
    case .system(_, let code): code == ENODEV || code == ENXIO || code == ENOENT
    case .noSuchChip: true
    case .notAChip, .ambiguousChip, .noSuchLine, .busy: false
    }
  }

  public var description: String {
    let place = "GPIO chip \(chip)" + (line.map { ", line \($0)" } ?? "")
    return "\(place): \(text)"
  }

  private var text: String {
    switch cause {
    case .system(let call, let code): "\(call): \(String(cString: strerror(code)))\(Self.advice(code))"
    case .notAChip: "it is no GPIO chip; see /dev/gpiochip*"
    case .noSuchChip(let present):
      "it is not there; \(present.isEmpty ? "there is no chip" : "there are \(present.joined(separator: ", "))")"
    case .ambiguousChip(let paths):
      "several chips have this label; name one by its path: \(paths.joined(separator: ", "))"
    case .noSuchLine(let count): "the chip has no such line; it has \(count), and offsets count from 0"
    case .busy(let consumer):
      "it is in use by \(consumer.isEmpty ? "another program" : "\"\(consumer)\""); end that, or take another line"
    }
  }

  private static func advice(_ code: Int32) -> String {
    switch code {
    case EACCES, EPERM: "; the user needs the group of /dev/gpiochip*, gpio as a rule"
    case ENODEV, ENXIO: "; is the chip unplugged?"
    case EOPNOTSUPP: "; the chip cannot do that"
    case EINVAL: "; the chip cannot do that, or the line is fixed as the other direction"
    default: ""
    }
  }
}
