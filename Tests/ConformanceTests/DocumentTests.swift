import InProcessService
import JSONRPC
import Records
import Testing

@testable import ListsService

/// `Protocol/openrpc.json` against OpenRPC's own rules, and against the service's table of methods.
struct DocumentTests {
  let document: OpenRPCDocument

  init() throws { document = try OpenRPCDocument() }

  @Test("The document is valid OpenRPC")
  func isValidOpenRPC() throws {
    let metaSchema = try ProjectFiles.json("Tests/ConformanceTests/Schemas/openrpc-1.3.json")
    var validator = JSONSchema(document: metaSchema)
    let document = document
    validator.remote["https://meta.json-schema.tools"] = { schema, faults, path in
      faults += document.schema.faultsOfSchema(schema, at: path)
    }
    validator.remote["https://meta.json-schema.tools/#/definitions/JSONSchemaObject/properties/$ref"] = {
      reference, faults, path in
      if reference.string.flatMap(document.schema.resolve) == nil {
        faults.append("\(path): \(reference) leads nowhere")
      }
    }
    #expect(validator.faults(of: document.json, against: metaSchema) == [])
  }

  @Test("What is no OpenRPC is found out")
  func findsFaults() throws {
    let metaSchema = try ProjectFiles.json("Tests/ConformanceTests/Schemas/openrpc-1.3.json")
    var validator = JSONSchema(document: metaSchema)
    validator.remote["https://meta.json-schema.tools"] = { schema, faults, path in
      faults += JSONSchema(document: .null).faultsOfSchema(schema, at: path)
    }
    let info: JSONNode = ["title": "x", "version": "1"]
    let wrong: [JSONNode] = [
      ["openrpc": "1.3.2", "info": info],
      ["openrpc": "9", "info": info, "methods": []],
      ["openrpc": "1.3.2", "info": ["title": "x"], "methods": []],
      ["openrpc": "1.3.2", "info": info, "methods": [["name": "m"]]],
      ["openrpc": "1.3.2", "info": info, "methods": [["name": "m", "params": [], "surplus": 1]]],
      [
        "openrpc": "1.3.2", "info": info,
        "methods": [["name": "m", "params": [["name": "p", "schema": ["type": "strnig"]]]]],
      ],
    ]
    for value in wrong { #expect(validator.faults(of: value, against: metaSchema) != []) }
  }

  @Test("Every method is described, with its parameters in their order, and its errors")
  func agreesWithTheTable() {
    #expect(document.methods.map(\.name) == MethodTable.methods.map(\.name))
    for method in MethodTable.methods {
      guard let described = document.method(named: method.name) else { continue }
      #expect(
        described.parameters.map { $0["name"]?.string } == method.parameters.map(\.name), "\(method.name)")
      #expect(
        described.parameters.map { $0["required"] == true } == method.parameters.map(\.isRequired),
        "\(method.name)")
      #expect(described.errorCodes == Set(method.errors.map(\.rawValue)), "\(method.name)")
      #expect(described.takesAnyParameters == method.takesAnyParameters)
    }
  }

  @Test("Optional parameters stand after the required ones and may be null")
  func optionalParametersComeLast() {
    for method in document.methods {
      let isRequired = method.parameters.map { $0["required"] == true }
      #expect(isRequired == isRequired.sorted { $0 && !$1 }, "\(method.name)")
      for parameter in method.parameters where parameter["required"] != true {
        #expect(document.schema.accepts(.null, parameter["schema"] ?? true), "\(method.name) \(parameter)")
      }
    }
  }

  @Test("Every error code is defined, with its number")
  func errorCodesAreDefined() {
    for code in RecordError.Code.allCases {
      #expect(document.errors[code.rawValue]?["code"] == .int(Int64(code.number)), "\(code)")
    }
    let envelope = ["parseError", "invalidRequest", "methodNotFound"]
    #expect(
      Set(document.errors.keys) == Set(RecordError.Code.allCases.map(\.rawValue) + envelope))
    for (name, error) in document.errors { #expect(error["data"]?["errorCode"]?.string == name) }
  }

  @Test("The limits are those of serverInfo")
  func limitsAreDescribed() {
    let described = document.json["components"]?["schemas"]?["Limits"]?["required"]?.elements.map(\.text)
    #expect(described == ServiceLimits().all.map(\.name))
  }

  @Test("Examples are as their schemas say")
  func examplesFitTheirSchemas() {
    for method in document.methods {
      for example in method.json["examples"]?.array ?? [] {
        let values = example["params"]?.array ?? []
        #expect(method.takesAnyParameters || values.count <= method.parameters.count)
        for (parameter, value) in zip(method.parameters, values) {
          #expect(value["name"] == parameter["name"])
          let schema = parameter["schema"] ?? true
          #expect(document.schema.faults(of: value["value"] ?? .null, against: schema) == [])
        }
        let result = example["result"]?["value"] ?? .null
        #expect(
          document.schema.faults(of: result, against: method.json["result"]?["schema"] ?? true) == [],
          "\(method.name)")
      }
    }
  }

  @Test("Every method has an example, but for the one that returns the document")
  func methodsHaveExamples() {
    let without = document.methods.filter { ($0.json["examples"]?.array ?? []).isEmpty }.map(\.name)
    #expect(without == ["rpc.discover"])
  }

  @Test(
    "The files of schemas are the document's",
    arguments: ["Record", "Change", "Error", "RecordType", "RecordTypeDeclaration"])
  func schemaFilesAgree(name: String) throws {
    let file = try ProjectFiles.json("Protocol/schema/\(name.lowercased()).json")
    let schemas = document.json["components"]?["schemas"]
    func renamed(_ node: JSONNode) -> JSONNode {
      switch node {
      case .string(let text):
        .string(text.replacing("#/components/schemas/", with: "#/definitions/"))
      case .array(let elements): .array(elements.map(renamed))
      case .object(let members): .object(members.map { ($0.0, renamed($0.1)) })
      default: node
      }
    }
    for (keyword, argument) in schemas?[name]?.membersOrNone ?? [] {
      #expect(file[keyword] == renamed(argument), "\(keyword)")
    }
    for (definition, schema) in file["definitions"]?.membersOrNone ?? [] {
      #expect(schemas?[definition].map(renamed) == schema, "\(definition)")
    }
    #expect(JSONSchema(document: file).faultsOfSchema(file).filter { !$0.contains("unknown keyword") } == [])
  }
}
