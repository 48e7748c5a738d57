public import JSONRPC
internal import Records

extension RecordTypeReport {
  /// Appends `{"records", "lost", "violations", "indexesDropped", "rulesDropped"}`.
  public func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("records")
    writer.int(records)
    writer.key("lost")
    writeLosses(to: &writer)
    writer.key("violations")
    writeBreaches(to: &writer)
    writer.key("indexesDropped")
    writer.beginArray()
    for keys in indexesDropped {
      writer.beginArray()
      for key in keys { writer.string(key) }
      writer.endArray()
    }
    writer.endArray()
    writer.key("rulesDropped")
    writer.beginArray()
    for (field, rule) in rulesDropped {
      writer.beginObject()
      writer.key("field")
      writer.string(field)
      writer.key("rule")
      writer.string(rule.rawValue)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }

  func writeLosses(to writer: inout JSONWriter) {
    writer.beginArray()
    for loss in losses { Self.write(loss.field, nil, loss.count, loss.examples, to: &writer) }
    writer.endArray()
  }

  func writeBreaches(to writer: inout JSONWriter) {
    writer.beginArray()
    for breach in breaches {
      Self.write(breach.field, breach.rule, breach.count, breach.examples, to: &writer)
    }
    writer.endArray()
  }

  private static func write(
    _ field: String, _ rule: FieldRules.Rule?, _ count: Int, _ examples: [Example],
    to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.key("field")
    writer.string(field)
    if let rule {
      writer.key("rule")
      writer.string(rule.rawValue)
    }
    writer.key("count")
    writer.int(count)
    writer.key("examples")
    writer.beginArray()
    for example in examples {
      writer.beginObject()
      writer.key("recordName")
      writer.string(example.recordName)
      writer.key("zoneName")
      writer.string(example.zoneName)
      if let value = example.value?.shortJSON {
        writer.key("value")
        writer.raw(JSON(unchecked: value))
      }
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}
