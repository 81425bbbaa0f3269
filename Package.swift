// swift-tools-version:6.0
// The house: which module may know which is decided here, and `make check` holds every import line to it.
import PackageDescription

let package = Package(
    name: "background-urlsession",
    products: [
        .library(name: "BackgroundURLSession", targets: ["BackgroundURLSession"]),
        .library(name: "Downloads", targets: ["Downloads"]),
        .executable(name: "bgtool", targets: ["bgtool"]),
        .executable(name: "urlsessiond", targets: ["urlsessiond"]),
    ],
    targets: [
        // System libraries, and the Linux calls that Swift's Glibc lacks.
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CLinux"),

        // The service's side.
        .target(name: "TransferProtocol", dependencies: ["CLinux"]),
        .target(name: "HTTPEngine", dependencies: ["CCurl", "CLinux"]),
        .target(name: "TransferStore", dependencies: ["TransferProtocol", "CSQLite"]),
        .target(
            name: "TransferService",
            dependencies: ["TransferProtocol", "TransferStore", "HTTPEngine", "CLinux"]),
        .executableTarget(name: "urlsessiond", dependencies: ["TransferService", "TransferProtocol"]),

        // The app's side. `BackgroundURLSession` hosts `TransferService` for process-bound sessions, and
        // speaks to it, as to the service outside, in messages only.
        .target(
            name: "BackgroundURLSession", dependencies: ["TransferProtocol", "TransferService", "CLinux"]),
        .target(name: "Downloads", dependencies: ["BackgroundURLSession", "CCrypto", "CLinux"]),
        .executableTarget(name: "bgtool", dependencies: ["Downloads", "BackgroundURLSession"]),

        // What bgtool cannot show of the lesson; no products of the package.
        .executableTarget(
            name: "lesson-asked-twice", dependencies: ["Downloads", "BackgroundURLSession"],
            path: "Sources/Lessons/lesson-asked-twice"),
        .executableTarget(
            name: "lesson-shared-wish", dependencies: ["Downloads", "BackgroundURLSession"],
            path: "Sources/Lessons/lesson-shared-wish"),

        // What `make bench` runs beside bgtool; no product of the package.
        .executableTarget(
            name: "bench-client", dependencies: ["BackgroundURLSession"], path: "Tests/Benchmarks/Client"),
        .executableTarget(name: "bench-baseline", path: "Tests/Benchmarks/Baseline"),

        // What `make torture` kills beside bgtool; no product of the package.
        .executableTarget(
            name: "torture-caller", dependencies: ["Downloads", "BackgroundURLSession"],
            path: "Tests/Torture/Caller"),

        // What bgtool cannot show.
        .executableTarget(
            name: "lesson-one-owner", dependencies: ["BackgroundURLSession"],
            path: "Sources/Lessons/lesson-one-owner"),
        .executableTarget(
            name: "lesson-what-it-accepts", dependencies: ["BackgroundURLSession"],
            path: "Sources/Lessons/lesson-what-it-accepts"),

        .testTarget(name: "TransferProtocolTests", dependencies: ["TransferProtocol"]),
        .testTarget(name: "HTTPEngineTests", dependencies: ["HTTPEngine"]),
        .testTarget(name: "TransferStoreTests", dependencies: ["TransferStore", "TransferProtocol"]),
        .testTarget(
            name: "TransferServiceTests",
            dependencies: ["TransferService", "TransferStore", "TransferProtocol", "HTTPEngine"]),
        .testTarget(
            name: "BackgroundURLSessionTests", dependencies: ["BackgroundURLSession", "TransferProtocol"]),
        .testTarget(name: "DownloadsTests", dependencies: ["Downloads"]),
        .testTarget(name: "BgtoolTests", dependencies: ["bgtool"]),
    ],
    swiftLanguageModes: [.v6]
)

// libFuzzer brings its own `main`, so this target builds only under its sanitizer: `make fuzz`.
if Context.environment["FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "TransferProtocol", "HTTPEngine", "TransferStore", "TransferService", "Downloads",
            ],
            path: "Fuzz/Sources"))
}
