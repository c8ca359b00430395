import Glibc

/// What can be wrong with a disk, as text for a manifest and for the operator.
struct DiskFailure {
  let reason: String
  let remedy: String

  init?(errno: Int32) {
    switch errno {
    case ENOSPC: (reason, remedy) = ("disk full", "free space there, or lower max_total or max_age")
    case EFBIG:
      (reason, remedy) = (
        "file size limit reached", "raise LimitFSIZE of the service, or shorten segment in [archive]"
      )
    case EDQUOT: (reason, remedy) = ("disk quota used up", "raise the quota, or lower max_total")
    case EROFS:
      (reason, remedy) = (
        "read-only file system", "mount it for writing; after disk errors the kernel mounts it so: check it with fsck"
      )
    case EACCES, EPERM:
      (reason, remedy) = ("permission denied", "let the service's user write there (see chown, chattr, ReadWritePaths)")
    case EIO: (reason, remedy) = ("input/output error", "the disk or card is failing: see the kernel's log, replace it")
    case ENOENT, ESTALE:
      (reason, remedy) = ("folder deleted", "it was removed or unmounted; the next recording recreates it")
    case ENOTDIR: (reason, remedy) = ("not a folder", "set directory in [archive] to a folder")
    case EMFILE, ENFILE: (reason, remedy) = ("too many open files", "raise LimitNOFILE of the service")
    case ENAMETOOLONG: (reason, remedy) = ("path too long", "set directory in [archive] to a shorter one")
    default: return nil
    }
  }
}
