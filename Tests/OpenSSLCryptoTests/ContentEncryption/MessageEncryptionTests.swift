import OpenSSLCrypto
import Foundation
import TestSupport
import Testing

/// Messages are decrypted by the openssl program.
@Suite(.timeLimit(.minutes(1))) struct MessageEncryptionTests {
  private struct Owner {
    static let shared = Result { try Owner() }

    let folder: TemporaryFolder
    let certificate: [UInt8]

    init(_ key: String = "rsa:2048", _ options: [String] = []) throws {
      folder = try TemporaryFolder(isInMemory: true)
      try ExternalProgram.run(
        "openssl",
        [
          "req", "-x509", "-newkey", key, "-nodes", "-subj", "/CN=owner", "-days", "1", "-keyout",
          folder.url("key.pem").path, "-out", folder.url("cert.pem").path,
        ] + options)
      certificate = [UInt8](try Data(contentsOf: folder.url("cert.pem")))
    }

    func decrypt(_ message: [UInt8], expectsSuccess: Bool = true) throws -> (status: Int32, content: [UInt8]) {
      // Others decrypt at the same time.
      let (input, output) = (folder.url("message-\(UUID())"), folder.url("content-\(UUID())"))
      try Data(message).write(to: input)
      defer { for file in [input, output] { try? FileManager.default.removeItem(at: file) } }
      let result = try ExternalProgram.run(
        "openssl",
        [
          "cms", "-decrypt", "-binary", "-inform", "DER", "-in", input.path, "-inkey",
          folder.url("key.pem").path, "-recip", folder.url("cert.pem").path, "-out", output.path,
        ],
        expectsSuccess: expectsSuccess)
      return (result.status, [UInt8]((try? Data(contentsOf: output)) ?? Data()))
    }
  }

  private func message(_ content: [UInt8], _ encryption: MessageEncryption, pieces: Int) throws -> [UInt8] {
    var body: [UInt8] = []
    for start in stride(from: 0, to: content.count, by: pieces) {
      var piece = Array(content[start..<min(content.count, start + pieces)])
      try encryption.encrypt(&piece, at: UInt64(start))
      body += piece
    }
    var rest = content[...]
    let tail = try encryption.tail {
      defer { rest = rest.dropFirst(1_000) }
      return Array(rest.prefix(1_000))
    }
    #expect(tail.count == MessageEncryption.tailByteCount)
    return encryption.head + body + tail
  }

  @Test(arguments: [0, 1, 16, 127, 128, 65_535, 65_536, 300_000, 17_000_000])
  func theOwnerGetsTheContent(byteCount: Int) throws {
    let owner = try Owner.shared.get()
    var content = [UInt8](repeating: 9, count: byteCount)
    for place in stride(from: 0, to: byteCount, by: 1_021) { content[place] = UInt8(truncatingIfNeeded: place >> 4) }
    let encryption = try MessageEncryption(
      for: try EncryptionRecipient(pem: owner.certificate, now: nil), byteCount: UInt64(byteCount))
    let whole = try message(content, encryption, pieces: 1 << 20)
    #expect(try owner.decrypt(whole).content == content)
    #expect(try message(content, encryption, pieces: 65_536) == whole)
    let again = try #require(MessageEncryption(key: encryption.key, nonce: encryption.nonce, head: encryption.head))
    #expect(again == encryption)
  }

  @Test func whatWasChangedIsRefused() throws {
    let owner = try Owner.shared.get()
    let content = [UInt8](repeating: 7, count: 1_000)
    let encryption = try MessageEncryption(
      for: try EncryptionRecipient(pem: owner.certificate, now: nil), byteCount: 1_000)
    var message = try message(content, encryption, pieces: 160)
    message[message.count - 100] ^= 1
    #expect(try owner.decrypt(message, expectsSuccess: false).status != 0)
  }

  @Test func keysDiffer() throws {
    let owner = try Owner.shared.get()
    let recipient = try EncryptionRecipient(pem: owner.certificate, now: nil)
    let (first, second) = (
      try MessageEncryption(for: recipient, byteCount: 5), try MessageEncryption(for: recipient, byteCount: 5)
    )
    #expect(first.key != second.key && first.nonce != second.nonce)
  }

  @Test func otherCertificatesAreRefused() throws {
    #expect(throws: ContentEncryptionError.self) { try EncryptionRecipient(pem: Array("none".utf8), now: nil) }
    #expect(throws: ContentEncryptionError.otherKey) {
      try EncryptionRecipient(pem: try Owner("ed25519").certificate, now: nil)
    }
    let recipient = try EncryptionRecipient(pem: try Owner.shared.get().certificate, now: nil)
    #expect(throws: ContentEncryptionError.tooLong) { try MessageEncryption(for: recipient, byteCount: 1 << 36) }
    #expect(MessageEncryption(key: [], nonce: [], head: [1]) == nil)
  }

  /// Content that nobody could read, or that another than was meant could.
  @Test func certificatesThatAreNotForThisAreRefused() throws {
    let owner = try Owner.shared.get()
    let now = Int64(Date().timeIntervalSince1970)
    #expect(throws: Never.self) { try EncryptionRecipient(pem: owner.certificate, now: now) }
    #expect {
      _ = try EncryptionRecipient(pem: owner.certificate, now: now + 3 * 86_400)
    } throws: { error in
      guard case ContentEncryptionError.expired(let day) = error else { return false }
      return day.hasPrefix("20") && day.count == 10
    }
    #expect(throws: Never.self) { try EncryptionRecipient(pem: owner.certificate, now: nil) }
    let two = owner.certificate + (try Owner().certificate)
    #expect(throws: ContentEncryptionError.severalCertificates) { try EncryptionRecipient(pem: two, now: now) }
    let signing = try Owner("rsa:2048", ["-addext", "keyUsage=digitalSignature,keyCertSign"]).certificate
    #expect(throws: ContentEncryptionError.notForEncryption) { try EncryptionRecipient(pem: signing, now: now) }
    let encrypting = try Owner("rsa:2048", ["-addext", "keyUsage=keyEncipherment"]).certificate
    #expect(throws: Never.self) { try EncryptionRecipient(pem: encrypting, now: now) }
    // Text and a key beside the one certificate are no second one.
    let noisy = Array("recordings of the gate\n".utf8) + owner.certificate + Array("\n# end\n".utf8)
    #expect(throws: Never.self) { try EncryptionRecipient(pem: noisy, now: now) }
  }
}
