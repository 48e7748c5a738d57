// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: Swift 6 mode, warnings are errors, imports are internal unless they say otherwise.
let settings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, path: String? = nil, uses dependencies: [String] = []) -> Target {
  .target(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, path: path,
    swiftSettings: settings)
}

func program(_ name: String, path: String? = nil, uses dependencies: [String], exclude: [String] = [])
  -> Target
{
  .executableTarget(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, path: path,
    exclude: exclude, swiftSettings: settings)
}

func tests(
  _ name: String, of dependencies: [String], exclude: [String] = [], resources: [Resource] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies.map { .init(stringLiteral: $0) },
    exclude: exclude, resources: resources, swiftSettings: settings)
}

let package = Package(
  name: "Lists",
  products: [
    .executable(name: "listsd", targets: ["listsd"]),
    .executable(name: "listsrpc", targets: ["listsrpc"]),
    // With the modules that its interface speaks of.
    .library(name: "ListsClient", targets: ["ListsClient", "Records", "JSONRPC", "Files"]),
  ],
  targets: [
    // What Swift cannot import by itself: system calls, system libraries, the protocol document.
    .target(name: "CLinux"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CGcrypt", pkgConfig: "libgcrypt", providers: [.apt(["libgcrypt20-dev"])]),
    .target(name: "CProtocolDocument"),

    // From the wire inwards; none knows the ones below it in this list.
    library("Files", uses: ["CGcrypt", "CLinux"]),
    library("JSONRPC", uses: ["Files"]),
    library("Records", uses: ["JSONRPC", "CLinux"]),
    library("SQLite", uses: ["CSQLite"]),
    library("RecordStore", uses: ["Files", "JSONRPC", "Records", "SQLite", "CLinux"]),
    library("ListsService", uses: ["Files", "JSONRPC", "Records", "RecordStore", "CProtocolDocument"]),
    library("SocketServer", uses: ["Files", "JSONRPC", "CLinux", "CSystemd"]),

    library("ArgumentParsing"),
    library("ListsClient", path: "Clients/Swift", uses: ["Files", "JSONRPC", "Records", "CLinux"]),
    program(
      "listsd",
      uses: [
        "ArgumentParsing", "CLinux", "CSystemd", "Files", "JSONRPC", "ListsService", "RecordStore", "Records",
        "SocketServer",
      ], exclude: ["install.mk", "systemd"]),
    program("listsrpc", uses: ["ArgumentParsing", "CLinux", "Files", "JSONRPC", "ListsClient", "Records"]),
    program(
      "listsbench", path: "Tests/Benchmarks", uses: []),

    library("ServiceFixture", path: "Tests/ServiceFixture", uses: ["CLinux", "Files"]),
    library(
      "InProcessService", path: "Tests/InProcessService",
      uses: ["Files", "JSONRPC", "ListsService", "RecordStore"]),
    tests("JSONRPCTests", of: ["JSONRPC"]),
    tests("FilesTests", of: ["Files"]),
    tests("RecordsTests", of: ["CLinux", "JSONRPC", "Records"]),
    tests("SQLiteTests", of: ["SQLite"]),
    .target(name: "DiskErrors", path: "Tests/DiskErrors"),
    tests(
      "RecordStoreTests",
      of: ["CLinux", "DiskErrors", "Files", "JSONRPC", "RecordStore", "Records", "SQLite"]),
    tests(
      "ListsServiceTests",
      of: [
        "CLinux", "Files", "InProcessService", "JSONRPC", "ListsService", "RecordStore", "Records",
        "ServiceFixture",
      ]),
    tests("SocketServerTests", of: ["CLinux", "Files", "JSONRPC", "ServiceFixture", "SocketServer"]),
    tests("ArgumentParsingTests", of: ["ArgumentParsing"]),
    tests(
      "ListsClientTests",
      of: ["CLinux", "Files", "JSONRPC", "ListsClient", "ServiceFixture", "Records", "listsd"]),
    tests(
      "ListsdTests",
      of: [
        "CLinux", "Files", "JSONRPC", "ListsService", "RecordStore", "SQLite", "ServiceFixture",
        "SocketServer",
        "listsd",
      ]),
    tests(
      "ListsrpcTests",
      of: ["ArgumentParsing", "CLinux", "JSONRPC", "ListsClient", "ServiceFixture", "listsd", "listsrpc"]),
    tests(
      "ConformanceTests",
      of: ["InProcessService", "JSONRPC", "ListsService", "Records", "ServiceFixture", "listsd", "listsrpc"],
      resources: [.copy("Schemas")]),
    tests(
      "FaultsTests",
      of: [
        "CLinux", "JSONRPC", "ListsClient", "ListsService", "RecordStore", "Records", "SQLite",
        "ServiceFixture",
        "listsd",
        "listsrpc",
      ]),
    tests(
      "SystemdTests", of: ["JSONRPC", "ServiceFixture", "listsd", "listsrpc"], exclude: ["container.sh"]),
  ],
  swiftLanguageModes: [.v6]
)
