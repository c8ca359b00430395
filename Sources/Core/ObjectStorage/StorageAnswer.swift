/// What a store says in the body of an answer.
public enum StorageAnswer {
  /// The text of the first leaf of a name, such as `UploadId`; nil without one.
  public static func value(_ name: String, in octets: [UInt8]) -> String? {
    let leaves = try? XMLLeaves.read(octets)
    return leaves?.first { $0.path.last == name }?.text
  }

  /// The error that a body reports, also one that comes with status 200, as CompleteMultipartUpload may.
  public static func error(in octets: [UInt8]) -> StorageError? {
    guard let leaves = try? XMLLeaves.read(octets), leaves.first?.path.first == "Error" else { return nil }
    func text(_ name: String) -> String? { leaves.first { $0.path == ["Error", name] }?.text }
    return text("Code").map { code in
      StorageError(
        code: String(code.prefix(64)), message: String((text("Message") ?? "").prefix(300)), region: text("Region"),
        endpoint: text("Endpoint"))
    }
  }
}

/// The store's own error text, truncated to what a log line takes.
public struct StorageError: Hashable, Sendable {
  /// Such as `NoSuchBucket`.
  public var code: String
  public var message: String
  /// Where the bucket is, if the store says so.
  public var region: String?
  /// The host at which it is, if the store says so.
  public var endpoint: String?

  public init(code: String, message: String = "", region: String? = nil, endpoint: String? = nil) {
    self.code = code
    self.message = message
    self.region = region
    self.endpoint = endpoint
  }
}
