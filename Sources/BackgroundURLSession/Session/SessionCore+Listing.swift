// Which tasks the session has, asked of the service page by page: it keeps them, this process need not.
import Foundation
import TransferProtocol

extension SessionCore {
    /// Every task of the session as the service has it, ended ones included; empty when it cannot be asked.
    func listSnapshots(_ done: @escaping @Sendable ([TaskSnapshot]) -> Void) {
        listPage(after: 0, into: Guarded<[TaskSnapshot]?>([]), done)
    }

    /// - Parameter all: the pages before; nil when `done` has been called.
    private func listPage(
        after: Int64, into all: Guarded<[TaskSnapshot]?>,
        _ done: @escaping @Sendable ([TaskSnapshot]) -> Void
    ) {
        // The service looks for the next page while this one is read.
        link.send(ListTasks(after: after)) { [self] answer in
            guard let next = answer.next, next > after else { return }
            aside { self.listPage(after: next, into: all, done) }
        } _: { result in
            let page = try? result.get()
            let whole = all.with { tasks -> [TaskSnapshot]? in
                tasks? += page?.tasks ?? []
                if let next = page?.next, next > after { return nil }
                defer { tasks = nil }
                return tasks
            }
            if let whole { done(whole) }
        }
    }

    /// The tasks an app should see: resumed at least once, and not ended.
    func listTasks(_ done: @escaping @Sendable ([URLSessionTask]) -> Void) {
        listSnapshots { [self] snapshots in done(visible(snapshots) + visibleHereOnly()) }
    }

    /// Those of which the service knows nothing: a protocol class answers them, or their body is being read.
    private func visibleHereOnly() -> [URLSessionTask] {
        state.with { Array($0.tasks.values) }
            .filter { $0.fields.with { $0.wasResumed && !$0.isInService && $0.state != .completed } }
            .sorted { $0.taskIdentifier < $1.taskIdentifier }
    }

    /// Those that an app does not see: made, and never resumed.
    func listUnresumed(_ done: @escaping @Sendable ([URLSessionTask]) -> Void) {
        listSnapshots { [self] snapshots in
            done(snapshots.filter { !$0.wasResumed && !$0.state.isEnded }.compactMap(object))
        }
    }

    private func visible(_ snapshots: [TaskSnapshot]) -> [URLSessionTask] {
        snapshots
            .filter { $0.wasResumed && !$0.state.isEnded }
            .compactMap(object)
            .filter { $0.state != .completed }
    }

    /// After a reattachment: counters are brought up to date, and a task that the service should be working on
    /// and does not list is asked for by name, so that it ends instead of waiting for ever.
    func synchronise(again: Bool) {
        listSnapshots { [self] snapshots in
            _ = visible(snapshots)
            guard again else { return }
            let known = Set(snapshots.map(\.identifier))
            for task in state.with({ Array($0.tasks.values) }) where !known.contains(task.taskIdentifier) {
                guard task.fields.with({ $0.state == .running && $0.isInService }) else { continue }
                aside { self.sendResume(task) }
            }
        }
    }
}
