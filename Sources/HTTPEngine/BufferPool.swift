// The buffers in which bodies are gathered. curl hands out 16 KiB at a time whatever its own buffer is;
// sixteen of those to a write halve the CPU. Buffers are held for one round of curl only, so that a
// thousand waiting transfers hold none. Lives on curl's thread.
import Foundation

final class BufferPool {
    static let size = 256 << 10
    private static let most = 16

    private var free: [UnsafeMutableRawPointer] = []
    private var made = 0

    /// nil when all are in use: the caller then writes without gathering.
    func take() -> UnsafeMutableRawPointer? {
        if let buffer = free.popLast() { return buffer }
        guard made < Self.most else { return nil }
        made += 1
        return .allocate(byteCount: Self.size, alignment: 4096)
    }

    func giveBack(_ buffer: UnsafeMutableRawPointer) { free.append(buffer) }

    /// While nothing runs, the memory goes back.
    func drain() {
        for buffer in free { buffer.deallocate() }
        made -= free.count
        free = []
    }

    deinit { drain() }
}
