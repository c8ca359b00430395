/// The version of all three programs, and of the packages that are made of them.
public enum ProgramVersion {
  public static let text = "1.0.0"
}
