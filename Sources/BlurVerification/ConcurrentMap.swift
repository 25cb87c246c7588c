import Dispatch
import Synchronization

/// Transforms all `items` in parallel, or one after the other if `isSerial` is true, and returns the results
/// in the order of the items.
package func concurrentMap<Item: Sendable, Result: Sendable>(
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

/// Transforms all `items` in parallel on all cores, and returns the results in the order of the items.
///
/// - Parameter progress: A closure that is called after each item with the number of finished items. It is
///   never called by two threads at the same time.
/// - Throws: The error that `transform` throws for an item. If it throws for several items, the error of the
///   first of them is thrown. All items are transformed, even if one of them causes an error.
package func concurrentMap<Item: Sendable, Result: Sendable>(
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
