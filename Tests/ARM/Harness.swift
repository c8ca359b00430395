/// Runs Core where an Int has 32 bits: published vectors, files and numbers at the borders of 31 and 32 bits, and seeded
/// scenarios in virtual time. What traps ends the program under the name that was printed last.
@main struct Harness {
  static func main() {
    run("STUN", checkSTUN)
    run("RTP", checkRTP)
    run("SDP", checkSDP)
    run("files", checkFiles)
    run("policy", checkPolicy)
    run("ICE", checkICE)
    run("congestion control", checkRates)
    run("calls", checkCalls)
    print("\(Checks.count) checks hold with an Int of \(Int.bitWidth) bits")
    if Checks.failures > 0 { arm_exit(1) }
  }

  private static func run(_ name: String, _ checks: () -> Void) {
    print("\(name)")
    checks()
  }
}

enum Checks {
  nonisolated(unsafe) static var count = 0
  nonisolated(unsafe) static var failures = 0
}

func expect(_ isTrue: Bool, _ file: StaticString = #fileID, _ line: Int = #line) {
  Checks.count += 1
  guard !isTrue else { return }
  Checks.failures += 1
  print("\(file):\(line) does not hold")
}

/// The octets of hexadecimal digits.
func octets(_ text: String) -> [UInt8] {
  text.utf8.split { $0 == 0x20 || $0 == 0x0A }.compactMap { digits in
    UInt8(String(decoding: Array(digits), as: UTF8.self), radix: 16)
  }
}

/// A file of the tree as text.
func text(_ path: String) -> String {
  var bytes = [UInt8](repeating: 0, count: 65_536)
  let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
    unsafe arm_read_file(path, buffer.baseAddress, CLong(buffer.count))
  }
  expect(count > 0)
  return String(decoding: Array(bytes.prefix(max(0, Int(count)))), as: UTF8.self)
}
