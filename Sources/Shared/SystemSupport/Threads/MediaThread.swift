import CLinux
import Glibc

/// A named POSIX thread that may block, for capture devices, encoders, the network loop and archive writers.
///
/// The body is ended through what it waits on; ``join()`` waits for it.
public final class MediaThread: @unchecked Sendable {
  // `handle` is written once in `init`, before the object is shared.
  private var handle = pthread_t()

  private final class Body {
    let name: String
    let run: @Sendable () -> Void
    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - name: shown by `ps -L` and `top -H`; at most 15 bytes count.
  ///   - stackSize: bytes; the default serves codecs.
  public init(name: String, stackSize: Int = 512 * 1024, body: @escaping @Sendable () -> Void) throws(SystemCallError) {
    let box = Unmanaged.passRetained(Body(name: name, run: body))
    let status = ls_start_thread(
      &handle, stackSize,
      { context in
        let body = Unmanaged<Body>.fromOpaque(context!).takeRetainedValue()
        ls_name_thread(body.name)
        body.run()
        return nil
      }, box.toOpaque())
    guard status == 0 else {
      box.release()
      throw SystemCallError(call: "pthread_create", errno: status)
    }
  }

  /// Waits until the body has returned. Call exactly once, from another thread.
  public func join() {
    pthread_join(handle, nil)
  }

  /// Lets the thread go its own way, for one that a driver may block forever.
  public func detach() {
    pthread_detach(handle)
  }
}
