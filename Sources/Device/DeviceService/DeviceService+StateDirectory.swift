import DeviceConfiguration
import EngineControl
import Glibc
import SystemSupport

extension DeviceService {
  /// The certificate and, by default, the archives stand there. Calls need nothing of it.
  func makeStateDirectory() throws(DeviceServiceError) {
    let path = configuration.identity.stateDirectory
    try refuseRoot(in: path)
    if let failure = Self.failure(ofFolder: path) {
      stateFaults.note(StateFault(path, .unwritable(failure), "calls continue, and nothing is kept across a restart"))
    }
  }

  private static func failure(ofFolder path: String) -> SystemCallError? {
    if mkdir(path, 0o750) == 0 { return nil }
    guard errno == EEXIST else { return SystemCallError(call: "mkdir", errno: errno) }
    var status = stat()
    guard stat(path, &status) == 0 else { return SystemCallError(call: "stat", errno: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return SystemCallError(call: "mkdir", errno: ENOTDIR) }
    return access(path, R_OK | W_OK | X_OK) == 0 ? nil : SystemCallError(call: "access", errno: errno)
  }

  /// What root makes in the service's folder the service cannot read afterwards.
  private func refuseRoot(in path: String) throws(DeviceServiceError) {
    var status = stat()
    guard geteuid() == 0, stat(path, &status) == 0, status.st_uid != 0 else { return }
    throw .configuration(
      "the state directory \(path) belongs to user \(status.st_uid), so root must not run the daemon in it: use systemctl start "
        + "\(options.instance.unit), or run it as that user (sudo -u), or set another device.state_directory")
  }
}
