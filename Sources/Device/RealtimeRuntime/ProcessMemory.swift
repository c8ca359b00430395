import CLinux

/// How the process keeps memory.
public enum ProcessMemory {
  /// Has large blocks (encoders, rings) given back to the kernel when they are freed; call once, at the start.
  ///
  /// glibc otherwise raises its thresholds with the first large block that is freed, and a device that has recorded once
  /// keeps some 20 MB for good.
  public static func keepLittle() { ls_keep_little_freed_memory() }

  /// Gives what is free back to the kernel now. For when devices have been closed: others cannot allocate meanwhile.
  public static func returnFreed() { ls_return_freed_memory() }
}
