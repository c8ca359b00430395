import MediaCore
import Testing

@Suite struct ByteReaderTests {
  @Test func readsNetworkOrder() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    var reader = ByteReader(bytes.span.bytes)
    let values = (
      try reader.readUInt8(), try reader.readUInt16(), try reader.readUInt24(), try reader.readUInt32()
    )
    let isAtEnd = reader.isAtEnd
    #expect(values == (1, 0x0203, 0x040506, 0x0708_090A))
    #expect(isAtEnd)
  }

  @Test func refusesToReadPastTheEnd() throws {
    let bytes: [UInt8] = [1, 2, 3]
    var reader = ByteReader(bytes.span.bytes)
    var failed = false
    do { _ = try reader.readUInt32() } catch { failed = true }
    let offset = reader.offset
    #expect(failed)
    #expect(offset == 0)
  }
}

@Suite struct ByteWriterTests {
  @Test func writesNetworkOrder() throws {
    var storage = [UInt8](repeating: 0, count: 8)
    var span = storage.mutableSpan
    var writer = ByteWriter(span.mutableBytes)
    try writer.write(UInt16(0x0102))
    try writer.writeUInt24(0x030405)
    let count = writer.count
    var refused = false
    do { try writer.write(UInt32(1)) } catch { refused = true }
    #expect(refused)
    #expect(count == 5)
    #expect(storage == [1, 2, 3, 4, 5, 0, 0, 0])
  }
}
