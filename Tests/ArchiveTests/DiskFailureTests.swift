import Glibc
import SystemSupport
import Testing

@testable import Archive

@Suite struct DiskFailureTests {
  @Test(arguments: [
    (ENOSPC, "disk full"), (EDQUOT, "disk quota used up"), (EROFS, "read-only file system"),
    (EACCES, "permission denied"), (EIO, "input/output error"), (ENOENT, "folder deleted"),
    (EMFILE, "too many open files"), (ENOTDIR, "not a folder"),
  ]) func errorsNameThePathTheCauseAndTheRemedy(code: Int32, reason: String) throws {
    let error = ArchiveError.system(SystemCallError(call: "pwrite", errno: code)).at("/archives/x")
    #expect(error.reason == reason)
    let remedy = try #require(DiskFailure(errno: code)).remedy
    #expect(error.description == "/archives/x: pwrite: \(String(cString: strerror(code))): \(remedy)")
  }

  @Test func otherErrorsAreToldAsTheyAre() {
    let error = ArchiveError.system(SystemCallError(call: "openat", errno: ELOOP)).at("/archives/x")
    #expect(error.description == "/archives/x: openat: \(String(cString: strerror(ELOOP)))")
    #expect(ArchiveError.stopped.at("/archives/x") == .stopped)
  }
}
