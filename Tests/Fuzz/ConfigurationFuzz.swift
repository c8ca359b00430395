// link: -lstdc++
import ConfigFile
import DeviceConfiguration

/// Reads any text as device.toml and as policy.toml; a text that is refused must say why, at a place.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
  check { () throws(ConfigErrors) in _ = try DeviceConfiguration(text: text, file: "d") }
  check { () throws(ConfigErrors) in _ = try PolicyFile.read(text: text, file: "p") }
  check { () throws(ConfigErrors) in try change(text) }
  return 0
}

/// Changes settings of any file: one that is there, one that is not, one in an array.
private func change(_ text: String) throws(ConfigErrors) {
  let sections = DeviceConfiguration.sections.map(\.description)
  for (key, value) in [("video.width", "1280"), ("video.camera", "/dev/video7"), ("plan.yard.max_age", "3d")] {
    guard let path = try? SettingPath(key, in: sections) else { fatalError("\(key) is a setting") }
    _ = try SettingEdit(path, value: value).applied(to: text, file: "d")
  }
}

private func check(_ read: () throws(ConfigErrors) -> Void) {
  do {
    try read()
  } catch {
    precondition(error.errors.allSatisfy { !$0.problem.isEmpty }, "an error without words")
  }
}
