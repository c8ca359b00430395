/// The standard library's module, whose lock this one replaces in builds for ThreadSanitizer.
@_exported public import Synchronization

#if THREAD_SANITIZER
  internal import Glibc

  /// `Synchronization.Mutex` in the form that ThreadSanitizer sees.
  ///
  /// The standard library's lock is a futex in code that is not instrumented: a program built with
  /// `--sanitize=thread` would report each access that it guards. POSIX locks are known to the sanitizer.
  public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable: the value is reached only under the lock, and comes in and leaves as `sending`.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    public init(_ initialValue: consuming sending Value) {
      lock = .allocate(capacity: 1)
      pthread_mutex_init(lock, nil)
      value = .allocate(capacity: 1)
      value.initialize(to: initialValue)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }

    /// Returns nil at once where the lock is held.
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      guard pthread_mutex_trylock(lock) == 0 else { return nil }
      defer { pthread_mutex_unlock(lock) }
      return try body(&value.pointee)
    }
  }
#endif
