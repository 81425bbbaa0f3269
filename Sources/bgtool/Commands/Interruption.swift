// Ctrl-C, a closed terminal, and a polite end, taken as an occasion to say something first.
import Foundation

struct Interruption {
    private let sources: [any DispatchSourceSignal]

    init(_ handle: @escaping @Sendable () -> Void) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: handle)
            source.resume()
            return source
        }
    }

    func end() { for source in sources { source.cancel() } }
}
