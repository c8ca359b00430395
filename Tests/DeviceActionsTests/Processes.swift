import Glibc

/// Whether a process runs that is no zombie.
func isAlive(_ process: pid_t) -> Bool {
  guard let file = fopen("/proc/\(process)/stat", "r") else { return false }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 512)
  guard fgets(&line, 512, file) != nil else { return false }
  let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  return text.split(separator: ")").last?.dropFirst().first != "Z"
}
