// swift-tools-version:6.0
// Programs as somebody else would write them, in a package of their own: code for Apple's platforms with
// one import added, in both language modes, and code that imports FoundationNetworking too.
import PackageDescription

let transfers = Target.Dependency.product(name: "BackgroundURLSession", package: "background-urlsession")

let package = Package(
    name: "lesson-program",
    dependencies: [.package(name: "background-urlsession", path: "../../..")],
    targets: [
        // The lesson's program, to the letter as a page would print it.
        .executableTarget(
            name: "lesson-program", dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v6)]),
        // The same file, by a link.
        .executableTarget(
            name: "lesson-program-swift5", dependencies: [transfers],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // With Templates/URLSessionAliases.swift, by a link.
        .executableTarget(
            name: "networking-program", dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
        // Seven ways in which apps are written around background sessions, for programs.bats.
        + [
            "closure-service", "continuation-uploader", "coalescing-downloader", "resumable-uploads",
            "recreating-queue", "guarded-import",
        ].map {
            .executableTarget(
                name: $0, dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v5)])
        }
        // Every member of the API, compiled and never run; the second by a link.
        + [
            .target(
                name: "every-member", dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v6)]),
            .target(
                name: "every-member-swift5", dependencies: [transfers],
                swiftSettings: [.swiftLanguageMode(.v5)]),
            .executableTarget(
                name: "resume-courier", dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v5)]),
        ] + [
            .executableTarget(
                name: "actor-wrapper", dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v6)]
            ),
            // Answers challenges, and says what it hears.
            .executableTarget(
                name: "dialogue-program", dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v6)]
            ),
            // Each form of the handler that deals with a launch.
            .executableTarget(
                name: "launch-forms", dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v6)]),
            // The app of docs/lessons/apple-platforms.md.
            .executableTarget(
                name: "woken-program", dependencies: [transfers], swiftSettings: [.swiftLanguageMode(.v6)]),
        ]
)
