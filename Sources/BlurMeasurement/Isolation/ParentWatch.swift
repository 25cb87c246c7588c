import BlurRecords
import Foundation

/// Ends a worker process when the process that started it is gone, for whatever reason.
///
/// The standard input of a worker is a pipe to which nothing is ever written. The other end of the pipe
/// closes when the parent process ends.
public enum ParentWatch {
  /// Ends this process as soon as its standard input is closed. Kernels get an empty standard input instead.
  public static func watch() {
    // Ctrl-C in a terminal also reaches the workers. They ignore it, because a worker that ended by itself
    // would look like a kernel that crashed, and only the parent process knows what has been saved.
    signal(SIGINT, SIG_IGN)
    let line = dup(STDIN_FILENO)
    let empty = open("/dev/null", O_RDONLY)
    guard line >= 0, empty >= 0, dup2(empty, STDIN_FILENO) >= 0 else { return }
    // The new thread has to start waiting before this function returns. Otherwise its first instructions
    // could be counted as instructions of a kernel.
    let waits = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      waits.signal()
      var byte: UInt8 = 0
      // SAFETY: at most one byte is read, and `byte` has room for one.
      while read(line, &byte, 1) > 0 || errno == EINTR {}
      _exit(1)
    }
    waits.wait()
  }
}
