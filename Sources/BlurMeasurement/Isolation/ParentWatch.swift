import BlurRecords
import Foundation

/// Ties a worker process to the one that started it, however that one ends.
///
/// A worker's standard input is a pipe that is never written to. Its other end closes when the starting
/// process is gone.
public enum ParentWatch {
  /// Ends this process as soon as its standard input is closed; kernels find an empty one in its place.
  public static func watch() {
    // Ctrl-C on a terminal reaches workers too. Only the process that started them knows what is saved then;
    // a worker that ended by itself would look like a kernel that crashed.
    signal(SIGINT, SIG_IGN)
    let line = dup(STDIN_FILENO)
    let empty = open("/dev/null", O_RDONLY)
    guard line >= 0, empty >= 0, dup2(empty, STDIN_FILENO) >= 0 else { return }
    // What the thread does until it waits is done before this returns: instructions may be counted from here.
    let waits = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      waits.signal()
      var byte: UInt8 = 0
      // SAFETY: one byte is read into one byte.
      while read(line, &byte, 1) > 0 || errno == EINTR {}
      _exit(1)
    }
    waits.wait()
  }
}
