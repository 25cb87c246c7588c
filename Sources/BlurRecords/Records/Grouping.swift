extension Sequence {
  /// Groups the elements by key. The groups are in the order in which their keys first appear. Elements
  /// without a key are left out.
  package func inGroups<Key: Hashable>(
    by key: (Element) -> Key?
  ) -> [(key: Key, elements: [Element])] {
    var groups: [(key: Key, elements: [Element])] = []
    var places: [Key: Int] = [:]
    for element in self {
      guard let key = key(element) else { continue }
      if let place = places[key] {
        groups[place].elements.append(element)
      } else {
        places[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}
