extension Predicate {
  /// The paths that the condition looks at, in order, each as often as it is written.
  public var paths: [FieldPath] {
    var paths: [FieldPath] = []
    root.collectPaths(into: &paths)
    return paths
  }

  /// Whether one of ``paths`` goes into other records where its field is a reference: what matches then
  /// depends on those too.
  public var mayFollowReferences: Bool { paths.contains(where: \.mayLeadThroughReference) }
}

extension Predicate.Node {
  fileprivate func collectPaths(into paths: inout [FieldPath]) {
    switch self {
    case .constant: break
    case .and(let parts), .or(let parts): for part in parts { part.collectPaths(into: &paths) }
    case .not(let inner): inner.collectPaths(into: &paths)
    case .comparison(let comparison):
      comparison.left.collectPaths(into: &paths)
      comparison.right.collectPaths(into: &paths)
    }
  }
}

extension Predicate.Expression {
  fileprivate func collectPaths(into paths: inout [FieldPath]) {
    switch self {
    case .path(let path): paths.append(path)
    case .element(let path):
      if let whole = FieldPath(path.list.components + path.rest, countsElements: path.countsElements) {
        paths.append(whole)
      }
    case .list(let elements): for element in elements { element.collectPaths(into: &paths) }
    case .arithmetic(_, let left, let right), .distance(let left, let right):
      left.collectPaths(into: &paths)
      right.collectPaths(into: &paths)
    case .cast(let inner, _): inner.collectPaths(into: &paths)
    case .value, .box, .polygon, .allText: break
    }
  }
}
