// swift-tools-version:6.0
// What `make bench` measures the start of bgtool against: a program that does nothing.
import PackageDescription

let package = Package(
    name: "bench-baseline",
    targets: [.executableTarget(name: "baseline")],
    swiftLanguageModes: [.v6]
)
