// What an app gets by importing this module: all of Foundation and FoundationNetworking, with the types
// declared in this folder in place of FoundationNetworking's of the same name.
@_exported import Foundation
@_exported import FoundationNetworking
