// `bgtool upload`: hands a file to the service to be sent, and leaves. The file must stay as it is until then.
import BackgroundURLSession
import Foundation

struct UploadCommand {
    let options: UploadOptions

    func run() throws -> Int32 {
        let source = try options.file.map(Self.checked) ?? LessonFile.make()
        let queueing = try QueueingSession(options.session, options.conditions)
        if let existing = try queueing.pending(named: options.name) {
            guard existing.url == options.address.absoluteString, existing.source == source.path else {
                throw CommandFailure(
                    "\(options.name.quoted) is another transfer already, to or from "
                        + "\(AddressArgument.shown(existing.url)). Give this one another name with --name.",
                    status: ExitStatus.usage)
            }
            Output.line(
                "already \(existing.id) \(existing.label) \(existing.state.rawValue) \(StatusLine.counter(existing))"
            )
        } else {
            let task = queueing.session.uploadTask(with: request, fromFile: source)
            task.taskDescription = options.name
            options.conditions.apply(to: task)
            task.resume()
            CrashPoint.afterResume.reached()
            try queueing.commit()
            try queueing.checkBegun(task.taskIdentifier, named: options.name)
            Output.line("started \(task.taskIdentifier) \(options.name)")
            if options.wait > 0 {
                try queueing.watch([task.taskIdentifier], seconds: options.wait, bars: ProgressBars())
            }
        }
        Output.line("start process exiting")
        return ExitStatus.success
    }

    private var request: URLRequest {
        var request = URLRequest(url: options.address)
        request.httpMethod = options.method.rawValue
        for header in options.headers { request.addValue(header.value, forHTTPHeaderField: header.name) }
        return request
    }

    /// The file by its absolute path, if it can be sent.
    private static func checked(_ file: String) throws -> URL {
        let url = URL(fileURLWithPath: file)
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            throw CommandFailure(
                "There is no file \(url.path) to upload: \(String(cString: strerror(errno))). Name one that is "
                    + "there.", status: ExitStatus.usage)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR:
            throw CommandFailure(
                "\(url.path) is a folder; only a file can be uploaded. Pack it into one, with tar for example.",
                status: ExitStatus.usage)
        default:
            throw CommandFailure(
                "\(url.path) is not a regular file: it cannot be sent again when the network fails. Save its "
                    + "contents to a file and upload that.", status: ExitStatus.usage)
        }
        guard access(url.path, R_OK) == 0 else {
            throw CommandFailure(
                "You may not read \(url.path). Change its permissions, or upload another file.",
                status: ExitStatus.usage)
        }
        return url
    }
}
