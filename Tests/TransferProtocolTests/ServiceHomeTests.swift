// Where the service lives, and whose folders it refuses.
import Foundation
import Testing

@testable import TransferProtocol

@Suite struct ServiceHomeTests {
    func folder(_ environment: [String: String]) -> String { ServiceHome(environment: environment).folder }

    @Test func `the folder is the chosen one, else XDG's, else in the home folder`() {
        var environment = ["URLSESSIOND_HOME": "/w", "XDG_STATE_HOME": "/s", "HOME": "/h"]
        #expect(folder(environment) == "/w")
        environment["URLSESSIOND_HOME"] = ""
        #expect(folder(environment) == "/s/urlsessiond")
        environment["XDG_STATE_HOME"] = "relative"
        #expect(folder(environment) == "/h/.local/state/urlsessiond")
        environment["XDG_STATE_HOME"] = ""
        #expect(folder(environment) == "/h/.local/state/urlsessiond")
        environment["URLSESSIOND_HOME"] = "here"
        #expect(folder(environment) == FileManager.default.currentDirectoryPath + "/here")
    }

    @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"]])
    func `without a usable HOME the password database says where it is`(environment: [String: String]) throws
    {
        let entry = try #require(getpwuid(getuid()))
        #expect(folder(environment) == String(cString: entry.pointee.pw_dir) + "/.local/state/urlsessiond")
    }

    @Test func `no two clients share a folder, and none leaves its own`() {
        func name(_ client: String) -> String { ServiceHome.clientFolder(client, in: "/d") }
        #expect(name("bgtool") == "/d/bgtool")
        #expect(name("group.org.example app ü") == "/d/group.org.example app ü")
        #expect(name("a/b") == "/d/a%2Fb")
        #expect(name("..") == "/d/%2E.")
        #expect(name("") == "/d/%")
        #expect(name("a\u{0}b") == "/d/a%00b")
        let clients = ["a/b", "a_b", "a%2Fb", ".x", "_.x", "%2Ex", "", "%", "%25", "_", "..", "/"]
        #expect(Set(clients.map(name)).count == clients.count)
    }

    @Test func `preparing makes every folder private, parents included, and can be repeated`() throws {
        let world = try Folder()
        let home = ServiceHome(folder: world.path + "/a/b/home")
        for _ in 0..<2 { try home.prepare() }
        for folder in [
            world.path + "/a", home.folder, home.bodies, home.incoming, home.deliveries, home.logs,
        ] {
            #expect(try world.mode(folder) == 0o700, "\(folder)")
        }
        chmod(home.folder, 0o755)
        try home.prepare()
        #expect(try world.mode(home.folder) == 0o700)
    }

    @Test func `a file in the folder's place is refused`() throws {
        let world = try Folder()
        let home = ServiceHome(folder: world.path + "/home")
        try Data().write(to: URL(fileURLWithPath: home.folder))
        #expect(throws: SystemCallError("use", home.folder, code: ENOTDIR)) { try home.prepare() }
    }

    @Test func `a link to a folder of one's own is fine`() throws {
        let world = try Folder()
        try ServiceHome(folder: world.path + "/real").prepare()
        symlink("real", world.path + "/link")
        try ServiceHome(folder: world.path + "/link").prepare()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"), arguments: ["home", "link"])
    func `a folder of another user is refused, through a link too`(name: String) throws {
        let world = try Folder()
        mkdir(world.path + "/home", 0o700)
        chown(world.path + "/home", 65534, 65534)
        symlink("home", world.path + "/link")
        let home = ServiceHome(folder: world.path + "/" + name)
        #expect(throws: SystemCallError("use (it belongs to another user)", home.folder, code: EPERM)) {
            try home.prepare()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: world.path + "/home") == [])
    }
}

/// A folder that lives as long as the test.
final class Folder {
    let path: String

    init() throws {
        var template = Array("/tmp/protocol-test-XXXXXX".utf8CString)
        path = String(cString: try #require(mkdtemp(&template)))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}
