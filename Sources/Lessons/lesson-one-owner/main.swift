// Experiment 8, one owner: a background session belongs to one process, and in it to one session object.
//
//     lesson-one-owner ADDRESS      ADDRESS: of two small downloads' server, such as http://127.0.0.1:8765
import BackgroundURLSession
import Foundation

let identifier = "com.example.one-owner"
let arguments = CommandLine.arguments
guard arguments.count > 1, let address = URL(string: arguments[1] + "/bytes/1000") else {
    FileHandle.standardError.write(Data("usage: lesson-one-owner http://HOST:PORT\n".utf8))
    exit(64)
}

func makeSession(_ listener: Listener) -> URLSession {
    URLSession(
        configuration: .background(withIdentifier: identifier), delegate: listener, delegateQueue: nil)
}

if arguments.last == "--second-process" {
    let listener = Listener("second process")
    makeSession(listener).downloadTask(with: address).resume()
    exit(listener.waitForEnds(1).count == 1 ? 0 : 1)
}

// The first process takes the session, and keeps it.
let first = Listener("first object")
let session = makeSession(first)
do {
    _ = try session.waitUntilAttached()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
say("first process: owns \(identifier)")

// Another process wants it too: its tasks fail.
let second = Process()
second.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
second.arguments = [arguments[1], "--second-process"]
try second.run()
second.waitUntilExit()
say("second process: exit status \(second.terminationStatus)")

// A second object in this process is warned about and hears nothing: tasks made on it report to the first.
let deaf = Listener("second object")
let other = makeSession(deaf)
session.downloadTask(with: address).resume()
other.downloadTask(with: address).resume()
say("first object: heard the ends of \(first.waitForEnds(2).sorted())")
say("second object: heard the ends of \(deaf.waitForEnds(1, seconds: 0.5))")
exit(0)
