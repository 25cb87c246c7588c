import Foundation

/// Ends a server process when the process that started it is gone, for whatever reason.
///
/// The standard input of a server is a pipe. The other end of the pipe closes when the parent process ends.
public enum ParentWatch {
  /// Ends this process as soon as the pipe at its standard input is closed. Kernels get an empty standard
  /// input instead.
  ///
  /// - Returns: The file descriptor of the pipe, from which requests can be read.
  @discardableResult public static func watch() -> Int32 {
    // Ctrl-C in a terminal also reaches the servers. They ignore it, because a server that ended by itself
    // would look like a kernel that crashed, and only the parent process knows what has been saved.
    signal(SIGINT, SIG_IGN)
    let line = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    let empty = open("/dev/null", O_RDONLY)
    if empty >= 0 { dup2(empty, STDIN_FILENO) }
    // The new thread has to start waiting before this function returns. Otherwise its first instructions
    // could be counted as instructions of a kernel.
    let waits = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      waits.signal()
      // Without a requested event, `poll` returns only when the other end is closed.
      var end = pollfd(fd: line, events: 0, revents: 0)
      while poll(&end, 1, -1) < 0 && errno == EINTR {}
      _exit(1)
    }
    waits.wait()
    return line
  }
}
