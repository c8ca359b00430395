import Testing

@testable import ObjectStorage

@Suite struct XMLLeavesTests {
  private func leaves(_ text: String) throws -> [XMLLeaves.Leaf] { try XMLLeaves.read(Array(text.utf8)) }

  @Test func elementsInElements() throws {
    let found = try leaves("<?xml version=\"1.0\"?>\n<a xmlns=\"x\"><b>1</b><!-- <c> --><d><e>two</e></d><f/></a>")
    #expect(
      found == [
        .init(path: ["a", "b"], text: "1"), .init(path: ["a", "d", "e"], text: "two"),
        .init(path: ["a", "f"], text: ""),
      ])
  }

  @Test func entities() throws {
    #expect(try leaves("<a>&quot;x&quot; &amp; &lt;&#65;&#x42;&gt;&apos;</a>").map(\.text) == ["\"x\" & <AB>'"])
  }

  @Test(arguments: [
    "", "text", "<a>", "<a></b>", "</a>", "<a>&nope;</a>", "<a>&amp</a>", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
    "<a",
    "<a>&#x110000;</a>", "<>x</>", "<!-- <a>b</a>",
  ])
  func whatIsNoDocumentIsRefused(text: String) {
    #expect(throws: XMLLeaves.Malformed.self) { try leaves(text) }
  }

  @Test func depthAndLengthAreBounded() {
    let deep = (1...9).map { "<e\($0)>" }.joined() + (1...9).reversed().map { "</e\($0)>" }.joined()
    #expect(throws: XMLLeaves.Malformed.self) { try leaves(deep) }
    #expect(throws: XMLLeaves.Malformed.self) { try leaves("<a>" + String(repeating: "x", count: 5_000) + "</a>") }
    #expect(throws: XMLLeaves.Malformed.self) {
      try leaves("<a>" + String(repeating: "<b>1</b>", count: 16_385) + "</a>")
    }
    #expect(throws: XMLLeaves.Malformed.self) {
      try XMLLeaves.read([UInt8](repeating: 0x20, count: XMLLeaves.maximumByteCount + 1))
    }
    #expect(throws: XMLLeaves.Malformed.self) { try XMLLeaves.read([0x3C, 0x61, 0x3E, 0xFF, 0x3C, 0x2F, 0x61, 0x3E]) }
  }

  // MARK: Answers

  @Test func partsThatAreThere() throws {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?><ListPartsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
      <Bucket>b</Bucket><Initiator><ID>x</ID></Initiator><NextPartNumberMarker>2</NextPartNumberMarker>
      <IsTruncated>true</IsTruncated>
      <Part><PartNumber>1</PartNumber><LastModified>2010</LastModified><ETag>&quot;aa&quot;</ETag><Size>5242880</Size></Part>
      <Part><PartNumber>2</PartNumber><ETag>"bb"</ETag><Size>7</Size><ChecksumSHA256>c=</ChecksumSHA256></Part>
      <Part><PartNumber>x</PartNumber><ETag>"cc"</ETag></Part><Part><PartNumber>4</PartNumber></Part>
      </ListPartsResult>
      """
    let list = try StoredPartList(Array(text.utf8))
    #expect(
      list.parts == [
        StoredPart(number: 1, tag: "\"aa\"", byteCount: 5_242_880),
        StoredPart(number: 2, tag: "\"bb\"", byteCount: 7, checksum: "c="),
      ])
    #expect(list.nextMarker == 2)
  }

  @Test func theLastPageHasNoMarker() throws {
    let text = "<L><IsTruncated>false</IsTruncated><NextPartNumberMarker>2</NextPartNumberMarker></L>"
    #expect(try StoredPartList(Array(text.utf8)).nextMarker == nil)
  }

  @Test func errors() {
    let text = "<Error><Code>NoSuchBucket</Code><Message>No &amp; none</Message><Region>eu</Region></Error>"
    #expect(
      StorageAnswer.error(in: Array(text.utf8))
        == StorageError(code: "NoSuchBucket", message: "No & none", region: "eu"))
    #expect(StorageAnswer.error(in: Array("<Result><Code>x</Code></Result>".utf8)) == nil)
    #expect(StorageAnswer.error(in: []) == nil)
  }

  @Test func partsAreJoinedInOrder() {
    let body = S3Requests.partsBody([
      StoredPart(number: 2, tag: "\"b\""), StoredPart(number: 1, tag: "\"a\"", checksum: "x="),
    ])
    #expect(
      String(decoding: body, as: UTF8.self)
        == "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        + "<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag><ChecksumSHA256>x=</ChecksumSHA256></Part>"
        + "<Part><PartNumber>2</PartNumber><ETag>&quot;b&quot;</ETag></Part></CompleteMultipartUpload>")
  }

  @Test func base64() {
    #expect([UInt8]("".utf8).base64 == "")
    #expect([UInt8]("f".utf8).base64 == "Zg==")
    #expect([UInt8]("fo".utf8).base64 == "Zm8=")
    #expect([UInt8]("foobar".utf8).base64 == "Zm9vYmFy")
  }
}
