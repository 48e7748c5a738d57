import InProcessService
import JSONRPC

/// `Protocol/openrpc.json`, with references followed where it says what a method takes and gives.
struct OpenRPCDocument {
  let json: JSONNode
  let schema: JSONSchema

  struct Method {
    let json: JSONNode
    let name: String
    /// Content descriptors.
    let parameters: [JSONNode]
    /// Error objects.
    let errors: [JSONNode]

    var errorCodes: Set<String> { Set(errors.compactMap { $0["data"]?["errorCode"]?.string }) }
    var takesAnyParameters: Bool { json["x-anyParams"] == true }
  }

  init() throws {
    json = try ProjectFiles.json("Protocol/openrpc.json")
    schema = JSONSchema(document: json)
  }

  var methods: [Method] {
    (json["methods"]?.array ?? []).map { method in
      Method(
        json: method, name: method["name"]?.text ?? "",
        parameters: (method["params"]?.array ?? []).map(followed),
        errors: (method["errors"]?.array ?? []).map(followed))
    }
  }

  func method(named name: String) -> Method? { methods.first { $0.name == name } }

  /// The error objects that the document defines, by errorCode.
  var errors: [String: JSONNode] {
    let members = json["components"]?["errors"]?.membersOrNone ?? []
    return Dictionary(uniqueKeysWithValues: members)
  }

  func followed(_ node: JSONNode) -> JSONNode {
    guard let reference = node["$ref"]?.string else { return node }
    return schema.resolve(reference) ?? .null
  }

  /// What a reply to the method, or a push, has that the document does not describe.
  func faults(ofMessage message: JSONNode, to method: String?) -> [String] {
    if let name = message["method"]?.string { return faults(ofNotification: name, message) }
    if let error = message["error"] { return faults(ofError: error, of: method) }
    guard let name = method, let result = message["result"], let described = self.method(named: name) else {
      return ["\(message) is no reply to \(method ?? "nothing")"]
    }
    guard let resultSchema = described.json["result"]?["schema"] else { return ["\(name) has no result"] }
    return schema.faults(of: result, against: resultSchema, at: "result")
  }

  private func faults(ofError error: JSONNode, of method: String?) -> [String] {
    var faults = schema.faults(of: error, against: ["$ref": "#/components/schemas/Error"], at: "error")
    let code = error["data"]?["errorCode"]?.text ?? ""
    guard let described = errors[code] else { return faults + ["the error \(code) is not described"] }
    if described["code"] != error["code"] {
      faults.append("\(code) has the number \(error["code"] ?? .null)")
    }
    if let method, let described = self.method(named: method), !described.errorCodes.contains(code),
      code != "invalidRequest"
    {
      faults.append("\(method) answers \(code), which is not among its errors")
    }
    return faults
  }

  private func faults(ofNotification name: String, _ message: JSONNode) -> [String] {
    guard let described = json["x-notifications"]?.array?.first(where: { $0["name"]?.string == name }),
      let parameters = described["params"]?.array, case .object(let members)? = message["params"]
    else { return ["the notification \(name) is not described"] }
    var faults = members.flatMap { name, value -> [String] in
      guard let parameter = parameters.first(where: { $0["name"]?.string == name }) else {
        return ["params/\(name) is not described"]
      }
      return schema.faults(of: value, against: parameter["schema"] ?? true, at: "params/\(name)")
    }
    for parameter in parameters where parameter["required"] == true {
      let name = parameter["name"]?.text ?? ""
      if message["params"]?[name] == nil { faults.append("params lacks \(name)") }
    }
    return faults
  }
}
