import ArchiveUpload
import ConfigFile
import ControlMessages
import DeviceConfiguration
import MediaCore
import OpenSSLCrypto
import RealtimeRuntime
import TLSClient

/// Whether the store takes archives.
struct UploadCheck {
  private static let limit = TimeSpan.seconds(12)

  let subject: Subject
  private var settings: UploadSettings { subject.configuration.upload }

  func findings() -> [Finding] {
    guard let destination = settings.destinationText else { return [Finding(.upload, .ok, "none is configured")] }
    let credentials: String?
    do {
      credentials = try self.credentials()
    } catch {
      return error.errors.map { Finding(.upload, .failure, "\($0.file): \($0.problem)", remedy: $0.remedy) }
    }
    let (settings, route) = (settings, subject.route ?? .direct)
    let result = Promise.value(
      of: {
        await UploadProbe.problem(settings, credentials: credentials, hashing: OpenSSLCrypto(), route: route) {
          wallClockMilliseconds()
        }
      }, within: Self.limit)
    guard let problem = result else { return [Finding(.upload, .failure, "\(destination) does not answer")] }
    guard let problem else { return [Finding(.upload, .ok, "\(destination) would take archives")] }
    return [Finding(.upload, .failure, "\(destination): \(problem.text)", remedy: problem.remedy)]
  }

  private func credentials() throws(ConfigErrors) -> String? {
    if let credentials = try settings.credentials(credentialsDirectory: nil) { return credentials }
    let path = subject.credential(UploadSettings.credentialName)
    return SecretFile.exists(path: path) ? try SecretFile.read(path: path) : nil
  }
}
