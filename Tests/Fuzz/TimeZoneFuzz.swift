// link: -lstdc++
import DeviceConfiguration

/// Reads any octets as a time zone file; what is taken must give an offset of at most a week at any time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard let table = TimeZoneTable(bytes: Array(UnsafeBufferPointer(start: data, count: size))) else { return 0 }
  for time in [0, -1, 1_783_204_200, 4_102_444_800, -62_135_596_800, 253_402_300_799] as [Int64] {
    precondition(abs(table.offset(at: time)) <= 7 * 86_400, "an impossible offset")
  }
  return 0
}
