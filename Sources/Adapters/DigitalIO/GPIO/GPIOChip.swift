internal import CLinux
internal import Glibc
internal import SystemSupport

/// An opened GPIO chip, of which lines are requested; they outlive it.
///
/// The kernel's character device, version 2 of its interface (Linux 5.10). All calls return soon, but for a chip behind a
/// slow bus: one at USB takes some milliseconds a call.
public struct GPIOChip: ~Copyable {
  /// As requested.
  public let name: String
  /// What the chip's driver calls it.
  public let label: String
  public let lineCount: UInt32
  let descriptor: Int32

  /// - Parameter name: a path (`/dev/gpiochip0`), a device name (`gpiochip0`) or a label (`pinctrl-bcm2711`), which does not
  ///   change with the order in which chips are found.
  public init(_ name: String) throws(GPIOError) {
    let path = try Self.path(of: name)
    let (descriptor, info) = try Self.open(path, name)
    self.descriptor = descriptor
    self.name = name
    label = info.labelText
    lineCount = info.lines
  }

  deinit { close(descriptor) }

  /// Requests a line as an output; it has `isActive` from that moment on.
  ///
  /// - Parameter consumer: who uses it, at most 31 bytes; others see it.
  public borrowing func output(
    _ line: GPIOLineName, _ settings: GPIOOutputSettings = GPIOOutputSettings(), isActive: Bool = false,
    consumer: String
  ) throws(GPIOError) -> GPIOOutput {
    let descriptor = try request(line, settings.flags, value: isActive, consumer: consumer)
    return GPIOOutput(descriptor: descriptor, place: GPIOPlace(chip: name, line: line))
  }

  /// Requests a line as an input that reports its edges.
  ///
  /// - Parameter consumer: who uses it, at most 31 bytes; others see it.
  public borrowing func input(
    _ line: GPIOLineName, _ settings: GPIOInputSettings = GPIOInputSettings(), consumer: String
  ) throws(GPIOError) -> GPIOInput {
    let descriptor = try request(
      line, settings.flags, debounce: settings.debounceMicroseconds, consumer: consumer)
    return GPIOInput(descriptor: descriptor, place: GPIOPlace(chip: name, line: line))
  }

  /// Who has a line now; requests nothing.
  public borrowing func use(of line: GPIOLineName) throws(GPIOError) -> GPIOLineUse {
    let info = try info(try offset(of: line))
    return GPIOLineUse(isUsed: info.flags & cgpio_used != 0, consumer: info.consumerText)
  }

  private borrowing func request(
    _ line: GPIOLineName, _ flags: UInt64, value: Bool = false, debounce: UInt32 = 0, consumer: String
  ) throws(GPIOError) -> Int32 {
    let offset = try offset(of: line)
    var descriptor: Int32 = -1
    let failure = cgpio_request(self.descriptor, offset, flags, value ? 1 : 0, debounce, consumer, &descriptor)
    guard failure != 0 else { return descriptor }
    if failure == EBUSY, let info = try? info(offset) {
      throw GPIOError(.busy(consumer: info.consumerText), chip: name, line: line)
    }
    throw GPIOError(.system(call: "GPIO_V2_GET_LINE", errno: failure), chip: name, line: line)
  }

  private borrowing func offset(of line: GPIOLineName) throws(GPIOError) -> UInt32 {
    switch line {
    case .offset(let offset) where offset < lineCount: return offset
    case .offset: break
    case .name(let wanted):
      for offset in 0..<lineCount where try info(offset).nameText == wanted { return offset }
    }
    throw GPIOError(.noSuchLine(count: lineCount), chip: name, line: line)
  }

  private borrowing func info(_ offset: UInt32) throws(GPIOError) -> cgpio_line {
    var info = cgpio_line()
    let failure = cgpio_read_line(descriptor, offset, &info)
    guard failure == 0 else {
      throw GPIOError(.system(call: "GPIO_V2_GET_LINEINFO", errno: failure), chip: name, line: .offset(offset))
    }
    return info
  }
}

/// Whether a program or a kernel driver holds a line.
public struct GPIOLineUse: Sendable, Hashable {
  public var isUsed: Bool
  /// The holder's own name; empty where the line is free, or its holder is unnamed.
  public var consumer: String

  public init(isUsed: Bool, consumer: String) {
    self.isUsed = isUsed
    self.consumer = consumer
  }
}

// MARK: - Finding a chip

extension GPIOChip {
  private static func path(of name: String) throws(GPIOError) -> String {
    if name.hasPrefix("/") { return name }
    let present = presentChips()
    if present.contains(where: { $0.path == "/dev/\(name)" }) { return "/dev/\(name)" }
    let labelled = present.filter { $0.label == name }.map { $0.path }
    guard let path = labelled.first else {
      throw GPIOError(.noSuchChip(present: present.map { "\($0.path) (\($0.label))" }), chip: name)
    }
    guard labelled.count == 1 else { throw GPIOError(.ambiguousChip(paths: labelled), chip: name) }
    return path
  }

  /// Chips that may be opened keep their label; the others are listed without.
  private static func presentChips() -> [(path: String, label: String)] {
    let paths = FolderEntries.names(in: "/dev").filter { $0.hasPrefix("gpiochip") }.map { "/dev/\($0)" }
    return paths.map { ($0, (try? label(at: $0)) ?? "") }
  }

  private static func label(at path: String) throws(GPIOError) -> String {
    let (descriptor, info) = try open(path, path)
    close(descriptor)
    return info.labelText
  }

  private static func open(_ path: String, _ name: String) throws(GPIOError) -> (Int32, cgpio_chip) {
    let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw GPIOError(.system(call: "open", errno: errno), chip: name) }
    var info = cgpio_chip()
    let failure = cgpio_read_chip(descriptor, &info)
    guard failure != 0 else { return (descriptor, info) }
    close(descriptor)
    // Anything but a chip rejects this request.
    let isOther = failure == ENOTTY || failure == EINVAL || failure == EBADF
    throw GPIOError(isOther ? .notAChip : .system(call: "GPIO_GET_CHIPINFO", errno: failure), chip: name)
  }
}

extension cgpio_chip {
  fileprivate var labelText: String { text(of: label) }
}

extension cgpio_line {
  fileprivate var nameText: String { text(of: name) }
  fileprivate var consumerText: String { text(of: consumer) }
}

/// The characters up to the NUL of an array that the shim ends with one.
private func text<Characters>(of characters: Characters) -> String {
  withUnsafeBytes(of: characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
