public import CallPolicy
import ConfigFile
public import Logging

extension ActionRule.PINSource {
  /// Reads the PIN; nil, and a line in the log, where that cannot be done.
  ///
  /// - Parameter credentialsDirectory: where the service manager has put credentials; nil where it passed none.
  public func read(credentialsDirectory: String?, _ logger: Logger) -> String? {
    let path: String
    switch self {
    case .file(let file): path = file
    case .credential(let name):
      guard let credentialsDirectory else {
        logger.error("the credential \(name) of a PIN is not there: the daemon was given none")
        return nil
      }
      path = "\(credentialsDirectory)/\(name)"
    }
    do {
      return try SecretFile.read(path: path)
    } catch {
      logger.error("a PIN cannot be read: \(error)")
      return nil
    }
  }
}
