import JSONRPC
import ListsClient

/// How a query's records were found, over all of its pages.
@MainActor
struct PlanSummary {
  private var first: JSON?
  private var examined: Int64 = 0
  private var returned: Int64 = 0
  private var pages = 0
  private let start = ContinuousClock.now

  /// Takes in the plan of one reply.
  ///
  /// - Throws: `Failure` when there is none.
  mutating func add(_ plan: JSON?) throws(Failure) {
    guard let plan else { throw .client(.malformedReply("it has no plan")) }
    if first == nil { first = plan }
    examined += plan["rowsExamined"]?.int64Value ?? 0
    returned += plan["rowsReturned"]?.int64Value ?? 0
    pages += 1
  }

  /// Prints the first page's plan with the numbers of all of them.
  func print(_ session: Session) throws(Failure) {
    guard let first else { return }
    let duration = (ContinuousClock.now - start).components
    let milliseconds = Double(duration.seconds) * 1e3 + Double(duration.attoseconds) / 1e15
    let rounded = (milliseconds * 10).rounded() / 10
    guard !session.printsJSON else {
      return try session.output.writeLine(node(of: first, milliseconds: rounded).encoded())
    }
    var lines = [("access", Self.access(of: first))]
    if let isOrdered = first["ordered"]?.boolValue {
      lines.append(("order", isOrdered ? "as found" : "sorted afterwards"))
    }
    lines.append(("examined", "\(examined) records"))
    lines.append(("returned", "\(returned)"))
    lines.append(("reason", DisplayText.cell(first["reason"])))
    let unknown = first["unknownKeys"].map { $0.elements.map { DisplayText.cell($0) } } ?? []
    if !unknown.isEmpty { lines.append(("unknown", unknown.joined(separator: ", "))) }
    lines.append(("time", "\(rounded) ms" + (pages > 1 ? ", \(pages) pages" : "")))
    for (name, text) in lines {
      try session.output.write(session.output.bold(DisplayText.padded(name, to: 8)) + "  \(text)\n")
    }
  }

  private static func access(of plan: JSON) -> String {
    let access = DisplayText.cell(plan["access"])
    let keys = plan["index"].map { $0.elements.map { DisplayText.cell($0) } } ?? []
    return keys.isEmpty ? access : "\(access) on \(keys.joined(separator: ", "))"
  }

  private func node(of plan: JSON, milliseconds: Double) -> JSONNode {
    let members: [(String, JSONNode)] = plan.members.map { member in
      switch member.name {
      case "rowsExamined": ("rowsExamined", .int(examined))
      case "rowsReturned": ("rowsReturned", .int(returned))
      default: (member.name, .json(member.value))
      }
    }
    return .object(members + [("pages", .int(Int64(pages))), ("milliseconds", .double(milliseconds))])
  }
}
