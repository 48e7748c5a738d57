/// A reference as a record holds it: a field's value, or an element of its list.
public struct HeldReference: Sendable {
  public let field: String
  public let recordName: String
  /// The record's own where the reference names none.
  public let zoneName: String
  public let action: Reference.Action
}

extension RecordBody {
  /// Those that a path can follow, in the order of the fields: not those inside objects.
  public var references: [HeldReference] {
    var found: [HeldReference] = []
    for field in fields {
      switch field.value {
      case .reference(let reference): found.append(held(reference, field.name))
      case .list(let elements):
        for case .reference(let reference) in elements { found.append(held(reference, field.name)) }
      default: break
      }
    }
    return found
  }

  private func held(_ reference: Reference, _ field: String) -> HeldReference {
    HeldReference(
      field: field, recordName: reference.recordName, zoneName: reference.zoneName ?? zoneName,
      action: reference.action)
  }

  /// Takes references out: the field, or the element of its list; the field too when no element is left.
  public mutating func removeReferences(where isRemoved: (HeldReference) -> Bool) {
    fields = fields.compactMap { field in
      switch field.value {
      case .reference(let reference): return isRemoved(held(reference, field.name)) ? nil : field
      case .list(let elements):
        let kept = elements.filter { element in
          guard case .reference(let reference) = element else { return true }
          return !isRemoved(held(reference, field.name))
        }
        if kept.count == elements.count { return field }
        return kept.isEmpty ? nil : Field(name: field.name, value: .list(kept))
      default: return field
      }
    }
  }
}
