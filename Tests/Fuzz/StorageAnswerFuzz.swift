import ObjectStorage

/// Reads what an object store answers; what is read is bounded, and parts are named as they can be joined.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  let octets = Array(UnsafeBufferPointer(start: data, count: size))
  if let leaves = try? XMLLeaves.read(octets) {
    precondition(
      !leaves.isEmpty && leaves.allSatisfy { (1...8).contains($0.path.count) && $0.text.utf8.count <= 16_384 })
  }
  _ = StorageAnswer.error(in: octets)
  _ = StorageAnswer.value("UploadId", in: octets)
  guard let list = try? StoredPartList(octets), !list.parts.isEmpty else { return 0 }
  let body = S3Requests.partsBody(list.parts)
  let numbers = (try? XMLLeaves.read(body))?.filter { $0.path.last == "PartNumber" }.map(\.text)
  precondition(
    numbers == nil || numbers == list.parts.map(\.number).sorted().map(String.init),
    "parts are joined as they are there")
  return 0
}
