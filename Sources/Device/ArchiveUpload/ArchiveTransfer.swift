import Archive
import OpenSSLCrypto
import Signalling

/// Sends what a store lacks of one archive: each file whole, the manifest last.
struct ArchiveTransfer: Sendable {
  let upload: ArchiveUpload
  let archives: ArchiveUploads
  let remote: any RemoteStore
  /// Whom files are encrypted for; nil sends them as they are.
  let recipient: EncryptionRecipient?
  let notebook: UploadJournal

  init(
    _ upload: ArchiveUpload, from archives: ArchiveUploads, to remote: any RemoteStore,
    for recipient: EncryptionRecipient?
  ) {
    self.recipient = recipient
    self.upload = upload
    self.archives = archives
    self.remote = remote
    notebook = UploadJournal(upload, store: archives)
  }

  /// - Throws: ``UploadFailure``, and what the archive's disk says.
  func run() async throws {
    try await notebook.begin()
    for file in upload.pending {
      try await abandonOther(than: file)
      try await send(file)
      try await notebook.note(sent: file)
    }
    try await notebook.finish()
  }

  /// Has the store forget what was begun; for an archive that is gone.
  func abandon() async {
    guard let parts = notebook.parts else { return }
    try? await remote.abandon(parts.uploadID, of: key(parts.file))
  }

  /// Parts of a file that has changed since are of no use.
  private func abandonOther(than file: ArchiveUploadRecord.File) async throws {
    guard let parts = notebook.parts, parts.file != file else { return }
    await abandon()
    try await notebook.note(nil)
  }

  private func send(_ file: ArchiveUploadRecord.File) async throws {
    let (archives, id) = (archives, upload.id)
    let content = try await UploadDisk.run { try archives.open(file, of: id) }
    let encryption = try encryption(of: file)
    let object = UploadObject(
      key: key(file), contentType: encryption == nil ? file.contentType : "application/cms",
      content: encryption.map { EncryptedContent(content, $0) } ?? content)
    try await remote.put(object, memory(of: file, encryption))
    guard try await UploadDisk.run({ archives.isUnchanged(file, of: id) }) else { throw UploadFailure.changed }
  }

  /// That with which the file was begun, so that what the store has of it stays of use.
  private func encryption(of file: ArchiveUploadRecord.File) throws -> MessageEncryption? {
    guard let recipient else { return nil }
    if let begun = notebook.parts?.encryption?.message { return begun }
    return try MessageEncryption(for: recipient, byteCount: file.byteCount)
  }

  private func memory(of file: ArchiveUploadRecord.File, _ encryption: MessageEncryption?) -> PartsMemory {
    PartsMemory(begun: notebook.parts) { [notebook] uploadID, partSize in
      let kept = encryption.map { ArchiveUploadRecord.Encryption($0) }
      try await notebook.note(
        uploadID.map { .init(file: file, uploadID: $0, partSize: partSize, encryption: kept) })
    }
  }

  private func key(_ file: ArchiveUploadRecord.File) -> String {
    "\(upload.path)/\(file.name)\(recipient == nil ? "" : ".cms")"
  }
}

extension ArchiveUploadRecord.File {
  fileprivate var contentType: String {
    switch name.split(separator: ".").last {
    case "webm": "video/webm"
    case "json": "application/json"
    case "gpx": "application/gpx+xml"
    case "jpg": "image/jpeg"
    default: "application/octet-stream"
    }
  }
}
