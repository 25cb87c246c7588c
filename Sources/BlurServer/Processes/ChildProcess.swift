import Blur
import BlurRecords
import BlurText
import Foundation

/// A process that this process has started. Pipes connect the standard input and output of the child process
/// with this process.
package final class ChildProcess {
  private let process: Process
  private let input = Pipe(), output = Pipe()
  private let exited = DispatchSemaphore(value: 0)

  /// Starts a process. Its standard input and output are replaced by pipes.
  ///
  /// - Parameter keepsOutput: Whether this process reads the output. If it does not, the output is discarded.
  /// - Throws: ``MeasurementError/failed(_:)`` if the process cannot be started.
  package init(_ process: Process, keepsOutput: Bool = true) throws(MeasurementError) {
    // Writing to the pipe of a process that has ended must return an error. Without this line, a signal would
    // end this process.
    signal(SIGPIPE, SIG_IGN)
    self.process = process
    process.standardInput = input
    process.standardOutput = keepsOutput ? output : FileHandle.nullDevice
    process.terminationHandler = { [exited] _ in exited.signal() }
    do { try process.run() } catch {
      throw .failed("\(process.executableURL?.path ?? "?") cannot be started: \(error.localizedDescription)")
    }
    // Writing to the pipe must not block forever if the process does not read its input.
    let file = input.fileHandleForWriting.fileDescriptor
    _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK)
  }

  /// Kills the process. A server would also end by itself when its input is closed, but killing is faster.
  deinit { if process.isRunning { end() } }

  var identifier: pid_t { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// The file descriptor from which the output of the process can be read.
  var outputDescriptor: Int32 { output.fileHandleForReading.fileDescriptor }

  /// Sends bytes to the process. If the process has ended, the bytes are lost without an error. The caller
  /// learns the reason when it waits for the answer.
  ///
  /// - Returns: False if the process accepts no bytes for `seconds` seconds.
  func send(_ bytes: Data, within seconds: Double) -> Bool {
    let file = input.fileHandleForWriting.fileDescriptor
    return bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        // SAFETY: the buffer holds `bytes.count` bytes. At most `bytes.count - done` bytes are read, starting
        // at index `done`, so the last one is still inside the buffer.
        let count = write(file, bytes.start + done, bytes.count - done)
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          var waiting = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
          if poll(&waiting, 1, Int32(min(seconds * 1000 + 1, 1e9))) == 0 { return false }
        } else if errno != EINTR {
          return true
        }
      }
      return true
    }
  }

  /// Waits until the process has ended. Returns false if it has not ended within `seconds` seconds.
  package func ends(within seconds: Double) -> Bool {
    guard exited.wait(timeout: .now() + seconds) == .success else { return false }
    exited.signal()
    return true
  }

  /// Kills the process if it is still running, and waits until it has ended.
  package func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    exited.wait()
    exited.signal()
  }

  /// The exit code of the process, or nil if the process is still running or was ended by a signal.
  package var exitCode: Int32? {
    !process.isRunning && process.terminationReason == .exit ? process.terminationStatus : nil
  }

  /// The number of the signal that ended the process, or nil if the process is still running or has exited.
  package var signalNumber: Int32? {
    !process.isRunning && process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
  }

  /// A description of how the process ended.
  var ending: String {
    guard let code = signalNumber else {
      return "ended its process with exit code \(process.terminationStatus)"
    }
    if code == SIGKILL { return "was killed (signal 9)" }
    return "crashed: signal \(code) (\(String(cString: strsignal(code)).lowercased()))"
  }

  /// Returns the description of a process that was killed because it did not answer within `seconds` seconds.
  ///
  /// - Parameter option: The command-line option whose value was added to `--kernel-timeout`. Pass nil if
  ///   `seconds` is just `--kernel-timeout`.
  static func hanging(for seconds: Double, limit option: String? = nil) -> String {
    "hangs: no answer within \(seconds.short) s"
      + (option.map { ", which is \($0) plus --kernel-timeout" }
        ?? "; raise --kernel-timeout to wait longer")
  }
}
