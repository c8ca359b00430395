internal import Foundation

/// Finds the folder of the web page where none is configured.
public enum WebRoot {
  /// `PREFIX/share/livesessions/web` for an executable in `PREFIX/bin`; in a source tree the page's own folder, found
  /// upwards from the executable. Nil when neither has an `index.html`.
  public static func search(from executable: String) -> String? {
    var folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath().deletingLastPathComponent()
    let installed = folder.deletingLastPathComponent().appendingPathComponent("share/livesessions/web").path
    if isWebRoot(installed) { return installed }
    while folder.path != "/" {
      let candidate = folder.appendingPathComponent("Sources/Hub/HubHTTP/web").path
      if isWebRoot(candidate) { return candidate }
      folder.deleteLastPathComponent()
    }
    return nil
  }

  /// Whether the folder has a page.
  public static func isWebRoot(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: folder + "/index.html")
  }
}
