/// The requests of the S3 API by which an object gets to a bucket, in the form that the store takes.
///
/// https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
public struct S3Requests: Hashable, Sendable {
  /// Comes before each key in the path: the bucket's name where it does not stand in the host's.
  private let pathPrefix: String

  public init(_ place: StorePlace) { pathPrefix = place.isPathStyle ? "/\(place.bucket.percentEncoded)" : "" }

  private static let maxListed = 250

  private func path(_ key: String) -> String { "\(pathPrefix)/\(key.percentEncodedPath)" }

  /// The whole of an object.
  ///
  /// - Parameter digest: of its content.
  public func put(_ key: String, contentType: String, digest: [UInt8], _ checksum: PayloadChecksum) -> StorageRequest {
    StorageRequest(
      "PUT", path(key), headers: [.init("Content-Type", contentType)] + checksum.fields(digest: digest),
      payloadDigest: digest.hexadecimal)
  }

  /// Begins an object of several parts; the answer has an `UploadId`.
  public func beginParts(_ key: String, contentType: String, _ checksum: PayloadChecksum.Kind) -> StorageRequest {
    let algorithm = checksum == .sha256 ? [StorageRequest.Field("x-amz-checksum-algorithm", "SHA256")] : []
    return StorageRequest(
      "POST", path(key), query: [.init("uploads", "")], headers: [.init("Content-Type", contentType)] + algorithm)
  }

  public func putPart(
    _ number: Int, of uploadID: String, _ key: String, digest: [UInt8], _ checksum: PayloadChecksum
  ) -> StorageRequest {
    StorageRequest(
      "PUT", path(key), query: [.init("partNumber", String(number)), .init("uploadId", uploadID)],
      headers: checksum.fields(digest: digest), payloadDigest: digest.hexadecimal)
  }

  /// Requests the list of uploaded parts.
  ///
  /// - Parameter marker: of the page before; nil for the first.
  public func listParts(of uploadID: String, _ key: String, after marker: Int?) -> StorageRequest {
    var query: [StorageRequest.Field] = [.init("uploadId", uploadID), .init("max-parts", String(Self.maxListed))]
    if let marker { query.append(.init("part-number-marker", String(marker))) }
    return StorageRequest("GET", path(key), query: query)
  }

  /// Joins the parts; see ``partsBody(_:)``.
  public func completeParts(of uploadID: String, _ key: String, bodyDigest: [UInt8]) -> StorageRequest {
    StorageRequest(
      "POST", path(key), query: [.init("uploadId", uploadID)], headers: [.init("Content-Type", "application/xml")],
      payloadDigest: bodyDigest.hexadecimal)
  }

  /// Has the store forget the parts.
  public func abortParts(of uploadID: String, _ key: String) -> StorageRequest {
    StorageRequest("DELETE", path(key), query: [.init("uploadId", uploadID)])
  }

  /// Requests an object's length.
  public func head(_ key: String) -> StorageRequest { StorageRequest("HEAD", path(key)) }

  /// What ``completeParts(of:_:bodyDigest:)`` carries.
  public static func partsBody(_ parts: [StoredPart]) -> [UInt8] {
    let items = parts.sorted { $0.number < $1.number }.map { part in
      let checksum = part.checksum.map { "<ChecksumSHA256>\($0.escapedForXML)</ChecksumSHA256>" } ?? ""
      return "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(part.tag.escapedForXML)</ETag>\(checksum)</Part>"
    }
    let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
    return Array(
      "<CompleteMultipartUpload xmlns=\"\(namespace)\">\(items.joined())</CompleteMultipartUpload>".utf8)
  }
}
