import Dispatch
import Synchronization

/// Transforms `items` on all cores, or one after the other; the results are in the order of the items.
func concurrentMap<Item: Sendable, Result: Sendable>(
  _ items: [Item], isSerial: Bool = false, _ transform: @Sendable (Item) -> Result
) -> [Result] {
  if isSerial { return items.map(transform) }
  let results = Mutex([Result?](repeating: nil, count: items.count))
  DispatchQueue.concurrentPerform(iterations: items.count) { index in
    let result = transform(items[index])
    results.withLock { $0[index] = result }
  }
  return results.withLock { $0.compactMap { $0 } }
}

/// Work on all cores.
public enum Concurrent {
  /// Transforms `items` on all cores; the results are in the order of the items.
  ///
  /// - Parameter progress: called after each item with the number that are done, one call at a time.
  /// - Throws: the first error that a transformation throws; the others are done nevertheless.
  public static func map<Item: Sendable, Result: Sendable>(
    _ items: [Item], _ transform: @Sendable (Item) throws -> Result, progress: @Sendable (_ done: Int) -> Void
  ) throws -> [Result] {
    let done = Mutex(0)
    let results = concurrentMap(items) { item in
      defer {
        done.withLock { done in
          done += 1
          progress(done)
        }
      }
      return Swift.Result { try transform(item) }
    }
    return try results.map { try $0.get() }
  }
}
