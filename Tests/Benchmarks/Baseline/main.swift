// What `make bench` measures the start of bgtool against: links Foundation and FoundationNetworking, as any
// program with a URLSession does, and ends.
import Foundation
import FoundationNetworking

// Keeps both linked: the linker leaves out what nothing refers to.
exit(URLRequest(url: URL(fileURLWithPath: "/")).url == nil ? 1 : 0)
