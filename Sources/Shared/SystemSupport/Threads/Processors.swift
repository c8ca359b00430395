import CLinux

/// The machine's processors.
public enum Processors {
  /// How many of them this process may run on; at least one.
  public static var usableCount: Int { max(1, Int(ls_usable_processors())) }
}
