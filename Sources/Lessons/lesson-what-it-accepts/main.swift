// Experiment 9, what a background session accepts: a download, an upload of a file and a data task together on one
// session; then the calls that it refuses, each in a child process, since each ends it.
//
//     lesson-what-it-accepts ADDRESS FILE            ADDRESS such as http://127.0.0.1:8765; FILE is sent
//     lesson-what-it-accepts ADDRESS FILE --data     a data task alone, at ADDRESS as it is
//     lesson-what-it-accepts ADDRESS FILE --next     the next process: what did an earlier one leave?
import BackgroundURLSession
import Foundation

let arguments = CommandLine.arguments
guard arguments.count > 2, let address = URL(string: arguments[1]) else {
    FileHandle.standardError.write(Data("usage: lesson-what-it-accepts ADDRESS FILE [--data|--next]\n".utf8))
    exit(64)
}
let file = URL(fileURLWithPath: arguments[2])
let listener = Listener()
let session = URLSession(
    configuration: .background(withIdentifier: "com.example.what-it-accepts"), delegate: listener,
    delegateQueue: nil)

func begin(_ task: URLSessionTask, _ name: String) {
    task.taskDescription = name
    task.resume()
}

switch arguments.dropFirst(3).first {
case "--refused":
    await Refusals.make(arguments[4], on: session, URLRequest(url: address), file: file)
case "--data":
    begin(session.dataTask(with: address), "state")
    listener.waitForEnds(1)
case "--next":
    if try session.waitUntilAttached() > 0 { listener.waitForEvents() } else { say("nothing waited") }
default:
    begin(session.downloadTask(with: address.appendingPathComponent("bytes/20000")), "book")
    begin(
        session.uploadTask(
            with: URLRequest(url: address.appendingPathComponent("uploads")), fromFile: file), "photo")
    begin(session.dataTask(with: address.appendingPathComponent("bytes/300")), "state")
    listener.waitForEnds(3)
    for name in Refusals.names { try Refusals.show(name, Array(arguments[1...2])) }
}
exit(0)
