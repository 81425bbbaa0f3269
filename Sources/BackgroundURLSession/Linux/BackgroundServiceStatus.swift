// The service about itself, for programs that show the state of things. A value.
import Foundation
import TransferProtocol

/// The running service at one moment.
public struct BackgroundServiceStatus: Sendable, Equatable, Codable {
    public var pid: Int32
    /// The product's version.
    public var version: String
    public var home: String
    public var started: Date
    public var connections: Int
    public var running: Int
    public var queued: Int
    public var waiting: Int
    /// Ended tasks whose events wait for an owner.
    public var undelivered: Int

    init(_ result: AdminService.Result) {
        pid = result.pid
        version = result.product
        home = result.home
        started = result.started
        connections = result.connections
        running = result.running
        queued = result.queued
        waiting = result.waiting
        undelivered = result.undelivered
    }
}
