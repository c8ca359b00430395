// link: -lstdc++
import ConfigFile
import DeviceConfiguration

/// Reads any text as device.toml and as policy.toml; a text that is refused must say why, at a place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
  check { () throws(ConfigErrors) in _ = try DeviceConfiguration(text: text, file: "d") }
  check { () throws(ConfigErrors) in _ = try PolicyFile.read(text: text, file: "p") }
  return 0
}

private func check(_ read: () throws(ConfigErrors) -> Void) {
  do {
    try read()
  } catch {
    precondition(error.errors.allSatisfy { !$0.problem.isEmpty }, "an error without words")
  }
}
