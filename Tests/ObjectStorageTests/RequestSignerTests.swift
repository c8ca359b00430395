import OpenSSLCrypto
import Testing

@testable import ObjectStorage

/// The vectors that AWS publishes: the examples of the S3 documentation ("Authenticating Requests: Using the Authorization
/// Header"), and those of the Signature Version 4 test suite whose paths need no normalization, which S3 does not do.
@Suite struct RequestSignerTests {
  private static let date = SigningTime(rfc3339: "2013-05-24T00:00:00Z")
  private static let host = "examplebucket.s3.amazonaws.com"

  private let signer = RequestSigner(
    StorageCredentials(accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", hashing: OpenSSLCrypto())

  private func authorization(_ request: StorageRequest) -> String {
    let signed = signer.signed(request, host: Self.host, at: Self.date)
    return signed.headers.first { $0.name == "Authorization" }?.value ?? ""
  }

  @Test func getWithRange() {
    let request = StorageRequest("GET", "/test.txt", headers: [.init("Range", "bytes=0-9")])
    #expect(
      authorization(request)
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func putWithCharactersThatAreEncoded() {
    let digest = OpenSSLCrypto().sha256(Array("Welcome to Amazon S3.".utf8)).hexadecimal
    let request = StorageRequest(
      "PUT", "/" + "test$file.text".percentEncodedPath,
      headers: [.init("Date", "Fri, 24 May 2013 00:00:00 GMT"), .init("x-amz-storage-class", "REDUCED_REDUNDANCY")],
      payloadDigest: digest)
    #expect(request.path == "/test%24file.text")
    #expect(
      authorization(request).hasSuffix(
        "SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, "
          + "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
  }

  @Test func queryWithoutAValue() {
    let request = StorageRequest("GET", "/", query: [.init("lifecycle", "")])
    #expect(
      authorization(request).hasSuffix("=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"))
  }

  @Test func queryOfTwo() {
    let request = StorageRequest("GET", "/", query: [.init("prefix", "J"), .init("max-keys", "2")])
    #expect(request.target == "/?max-keys=2&prefix=J")
    #expect(
      authorization(request).hasSuffix("=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"))
  }

  // MARK: The test suite

  private struct Vector: CustomTestStringConvertible {
    var name: String
    var request: StorageRequest
    var signature: String
    var testDescription: String { name }
  }

  private static let suiteSigner = RequestSigner(
    StorageCredentials(accessKeyID: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", service: "service", hashing: OpenSSLCrypto())

  private static let time = StorageRequest.Field("X-Amz-Date", "20150830T123600Z")

  private static let vectors = [
    Vector(
      name: "get-vanilla", request: StorageRequest("GET", "/", headers: [time]),
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Vector(
      name: "get-vanilla-query-order-key-case",
      request: StorageRequest(
        "GET", "/", query: [.init("Param2", "value2"), .init("Param1", "value1")], headers: [time]),
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Vector(
      name: "get-header-value-trim",
      request: StorageRequest(
        "GET", "/", headers: [.init("My-Header1", " value1"), .init("My-Header2", " \"a   b   c\""), time]),
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    Vector(
      name: "post-vanilla", request: StorageRequest("POST", "/", headers: [time]),
      signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
  ]

  @Test(arguments: vectors) private func suite(_ vector: Vector) {
    let authorization = Self.suiteSigner.authorization(
      of: vector.request, host: "example.amazonaws.com", at: SigningTime(rfc3339: "2015-08-30T12:36:00Z"))
    #expect(authorization.hasSuffix("Signature=\(vector.signature)"))
  }

  @Test func canonicalRequestOfTheSuite() {
    let request = StorageRequest("GET", "/", headers: [Self.time])
    #expect(
      Self.suiteSigner.canonicalRequest(request, host: "example.amazonaws.com")
        == "GET\n/\n\nhost:example.amazonaws.com\nx-amz-date:20150830T123600Z\n\nhost;x-amz-date\n"
        + StorageRequest.emptyDigest)
  }

  // MARK: Credentials

  @Test func credentialsAreReadAsS3fsWritesThem() {
    #expect(StorageCredentials("AKIA1:a:b/c+d") == StorageCredentials(accessKeyID: "AKIA1", secretKey: "a:b/c+d"))
  }

  @Test(arguments: ["", "AKIA", ":secret", "AKIA:", "AK IA:secret", "AKIA:se\ncret", "A/B:secret"])
  func otherTextIsNone(text: String) {
    #expect(StorageCredentials(text) == nil)
  }

  @Test func secretsAreNotShown() {
    let credentials = StorageCredentials(accessKeyID: "AKIA1", secretKey: "hidden")
    #expect(!"\(credentials)\(String(reflecting: credentials))".contains("hidden"))
    var dumped = ""
    dump(credentials, to: &dumped)
    #expect(!dumped.contains("hidden"))
  }
}
