import EventDetection
import CLinux
import Glibc

/// What is wrong with an input device, and what to do.
struct EvdevError: Error, Equatable {
  var text: String
  /// Whether there is no such file at all.
  var isAbsent = false

  init(_ text: String) { self.text = text }

  /// What a system call says of a device.
  init(_ device: String, _ action: String, code: CInt) {
    let remedy =
      switch code {
      case EACCES, EPERM:
        "; let the daemon's user into the group input, and the service to input devices (guides/doorbell.md)"
      case EBUSY: "; another program has grabbed it"
      case ENOENT: "; plug it in, or name another (livesessions devices, /proc/bus/input/devices)"
      case ENOTTY, EINVAL: "; it is no input device: name one of /dev/input"
      default: ""
      }
    isAbsent = code == ENOENT
    text = "the input device \(device) \(action): \(String(cString: strerror(code)))\(remedy)"
  }
}

/// Which of the devices `/dev/input/event*` has a name.
enum NamedDeviceSearch {
  /// The result of probing a number.
  enum Found {
    case nothing
    case failure(EvdevError)
    case device(name: String, hasAllKeys: Bool)
  }

  /// Further devices are not searched.
  private static let maxDevices = 256

  /// The first of that name that has all keys: receivers of remote controls and keyboards have several of one name. Where none
  /// has, the first of that name, which then says what it lacks.
  static func path(of name: String, probe: (String) -> Found) throws(EvdevError) -> String {
    var (others, failure, lacking): ([String], EvdevError?, String?) = ([], nil, nil)
    for number in 0..<maxDevices {
      let path = "/dev/input/event\(number)"
      switch probe(path) {
      case .nothing: continue
      case .failure(let error): failure = error
      case .device(name, hasAllKeys: true): return path
      case .device(name, hasAllKeys: false): lacking = lacking ?? path
      case .device(let other, _): others.append("\"\(other)\"")
      }
    }
    if let lacking { return lacking }
    if let failure { throw EvdevError("no input device \"\(name)\" was found; \(failure.text)") }
    let there = others.isEmpty ? "there is none" : "there are \(others.joined(separator: ", "))"
    throw EvdevError("no input device is named \"\(name)\": \(there); plug it in, or name another")
  }
}

/// An open input device.
struct EvdevHandle: ~Copyable {
  let descriptor: CInt
  let path: String

  deinit { close(descriptor) }

  /// Opens the named device, sets its clock, and grabs it if requested.
  static func open(_ input: EvdevInput) throws(EvdevError) -> EvdevHandle {
    let handle =
      switch input.device {
      case .path(let path): try EvdevHandle(path: path)
      case .name(let name): try EvdevHandle(path: NamedDeviceSearch.path(of: name) { check(at: $0, for: input) })
      }
    try handle.prepare(input)
    return handle
  }

  private init(path: String) throws(EvdevError) {
    let descriptor = cevdev_open(path)
    guard descriptor >= 0 else { throw EvdevError(path, "cannot be opened", code: errno) }
    self.descriptor = descriptor
    self.path = path
  }

  private static func check(at path: String, for input: EvdevInput) -> NamedDeviceSearch.Found {
    do throws(EvdevError) {
      let handle = try EvdevHandle(path: path)
      let hasAllKeys = input.codes.allSatisfy { handle.has($0) == 1 }
      return .device(name: try handle.name(), hasAllKeys: hasAllKeys)
    } catch {
      return error.isAbsent ? .nothing : .failure(error)
    }
  }

  private func name() throws(EvdevError) -> String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard cevdev_name(descriptor, &bytes, bytes.count) >= 0 else {
      throw EvdevError(path, "does not report its name", code: errno)
    }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func prepare(_ input: EvdevInput) throws(EvdevError) {
    for code in input.codes {
      switch has(code) {
      case 1: break
      case 0: throw EvdevError("the input device \(path) (\(try name())) has no \(code); name one that it has")
      default: throw EvdevError(path, "does not report its keys", code: errno)
      }
    }
    guard cevdev_use_monotonic_clock(descriptor) == 0 else {
      throw EvdevError(path, "does not take the clock", code: errno)
    }
    if input.isGrabbed, cevdev_grab(descriptor) != 0 { throw EvdevError(path, "cannot be grabbed", code: errno) }
  }

  /// 1 if it has the key or switch, 0 if it does not, -1 where it does not report it.
  private func has(_ code: InputCode) -> CInt { cevdev_has(descriptor, code.type, code.number) }

  func isActive(_ code: InputCode) -> Bool { cevdev_is_active(descriptor, code.type, code.number) == 1 }

  /// The available input.
  ///
  /// - Throws: when the device is gone.
  func read() throws(EvdevError) -> ArraySlice<cevdev_event> {
    var events = [cevdev_event](repeating: cevdev_event(), count: 32)
    let count = cevdev_read(descriptor, &events, CInt(events.count))
    guard count >= 0 else { throw EvdevError(path, "is gone", code: errno) }
    return events.prefix(Int(count))
  }
}

/// The kernel's event type and code.
extension InputCode {
  fileprivate var type: UInt16 {
    switch self {
    case .key: cevdev_type_key
    case .switch: cevdev_type_switch
    }
  }

  fileprivate var number: UInt16 {
    switch self {
    case .key(let code): code.number
    case .switch(let code): code.number
    }
  }
}
