import CLinux

/// How the process keeps memory.
public enum ProcessMemory {
  /// Has large blocks (encoders, rings) given back to the kernel when they are freed; call once, at the start.
  ///
  /// glibc otherwise raises its thresholds with the first large block that is freed, and a device that has recorded once
  /// keeps some 20 MB for good.
  public static func returnFreedMemory() { ls_return_freed_memory() }
}
