import FoundationEssentials

/// What an object store has of an archive: a small file in the archive's folder, `uploading` until it has all, `uploaded` then.
public struct ArchiveUploadRecord: Codable, Hashable, Sendable {
  /// A file as it was when it was sent. One that differs by now is sent again.
  public struct File: Codable, Hashable, Sendable {
    public var name: String
    public var byteCount: UInt64
    /// Nanoseconds since 1970, as the file system says.
    public var modifiedAt: Int64

    public init(name: String, byteCount: UInt64, modifiedAt: Int64) {
      self.name = name
      self.byteCount = byteCount
      self.modifiedAt = modifiedAt
    }
  }

  /// An object of several parts that is under way.
  public struct Parts: Codable, Hashable, Sendable {
    public var file: File
    /// The store's name for it.
    public var uploadID: String
    public var partSize: UInt64
    /// What an encrypted object has to be continued with.
    public var encryption: Encryption?

    public init(file: File, uploadID: String, partSize: UInt64, encryption: Encryption? = nil) {
      self.file = file
      self.uploadID = uploadID
      self.partSize = partSize
      self.encryption = encryption
    }
  }

  /// How a file is encrypted, so that each of its parts can be made again.
  public struct Encryption: Codable, Hashable, Sendable {
    public var key: [UInt8]
    public var nonce: [UInt8]
    /// What stands before the encrypted bytes.
    public var head: [UInt8]

    public init(key: [UInt8], nonce: [UInt8], head: [UInt8]) {
      self.key = key
      self.nonce = nonce
      self.head = head
    }
  }

  /// Where it goes.
  public var destination: String
  /// What is there.
  public var files: [File] = []
  public var parts: Parts?

  public init(destination: String) { self.destination = destination }
}

extension ArchiveUploadRecord {
  /// A larger file is none of ours.
  private static let maximumByteCount: UInt64 = 4 * 1_048_576

  /// Reads what an earlier attempt has noted; nil for nothing, and for what cannot be read.
  init?(_ name: String, in folder: borrowing DirectoryHandle) {
    guard let file = try? ArchiveFile(name, in: folder), file.byteCount <= Self.maximumByteCount else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(clamping: file.byteCount))
    guard let count = try? file.bytes(at: 0, into: &bytes),
      let record = try? JSONDecoder().decode(Self.self, from: Data(bytes[0..<count]))
    else { return nil }
    self = record
  }

  func json() throws(ArchiveError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return [UInt8](try encoder.encode(self))
    } catch {
      throw .manifestUnreadable("what was uploaded cannot be written down")
    }
  }
}

extension ArchiveFolder {
  /// Whether a store has all files as they were when it got them.
  var isUploaded: Bool {
    directory.contains(Self.uploadedName) && !directory.contains(Self.uploadingName)
  }
}
