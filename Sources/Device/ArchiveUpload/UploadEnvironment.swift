import ConfigFile
import OpenSSLCrypto
import DeviceConfiguration
import ObjectStorage
import TLSClient
public import TransportCrypto

/// SHA-256 signs requests; MD5 is what some stores want besides.
public typealias UploadHashing = SHA256Hashing & CryptoPrimitives

/// What stores are reached with.
struct UploadEnvironment: Sendable {
  var hashing: any UploadHashing
  /// What the store has turned out to take, for as long as the daemon runs.
  var memory = StoreMemory()
  /// Milliseconds since 1970.
  var now: @Sendable () -> Int64
  var gate: UploadGate
  /// Whether stores are reached through a proxy.
  var route = ProxyRoute.direct
}

extension UploadSettings {
  /// Makes the store that the configuration names; reads only its arguments.
  ///
  /// - Parameter credentials: the content of the file of credentials, or of systemd's; nil where there is neither.
  func makeStore(credentials: String?, _ environment: UploadEnvironment) throws(UploadFailure) -> any RemoteStore {
    switch destination {
    case .bucket(let bucket):
      return try S3Store(bucket, self, try Self.storageCredentials(credentials), environment)
    case .folder(let url): return try WebStore(url: url, self, authorization: credentials, environment)
    case nil: throw UploadFailure(cause: .settings, text: "no store is configured")
    }
  }

  private static let longestCertificate = 65_536

  /// Reads whom archives are encrypted for; nil where they are not. Blocks.
  ///
  /// - Parameter now: milliseconds since 1970.
  func readRecipient(now: Int64) throws(UploadFailure) -> EncryptionRecipient? {
    guard let certificateFile else { return nil }
    do {
      let file = try BoundedFile.read(path: certificateFile, maximumBytes: Self.longestCertificate)
      return try EncryptionRecipient(pem: file, now: now / 1_000)
    } catch let error as ConfigValueError {
      throw UploadFailure(cause: .settings, text: "\(certificateFile): \(error.problem)", remedy: error.remedy)
    } catch {
      throw UploadFailure(
        cause: .settings, text: "\(certificateFile): \(error)",
        remedy:
          "give encrypt_for in [upload] one valid certificate in PEM for key encipherment, with an RSA key of at least 2,048 bits"
      )
    }
  }

  private static func storageCredentials(_ text: String?) throws(UploadFailure) -> StorageCredentials {
    guard let text else {
      throw UploadFailure(
        cause: .settings, text: "there are no credentials for the store",
        remedy: "name their file with credentials_file in [upload], or have systemd provide \(credentialName)")
    }
    guard let credentials = StorageCredentials(text) else {
      throw UploadFailure(
        cause: .settings, text: "the file of credentials holds none", remedy: "write KEYID:SECRET into it, in one line")
    }
    return credentials
  }
}
