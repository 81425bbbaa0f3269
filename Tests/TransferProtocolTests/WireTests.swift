// The lines of version 1, to the letter, and what a peer of another version may send.
// New messages: WRITE_FIXTURES=1 swift test --filter WireTests adds their lines at the end of the file;
// lines that are there are never written again.
import Foundation
import Testing

@testable import TransferProtocol

@Suite struct WireTests {
    static let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/wire-v1.jsonl")
    static let isWriting = ProcessInfo.processInfo.environment["WRITE_FIXTURES"] != nil

    func goldenLines() throws -> [Data] {
        try Data(contentsOf: Self.fixture).split(separator: 0x0A).map { Data($0) + [0x0A] }
    }

    @Test(.enabled(if: isWriting)) func `add the lines of new messages`() throws {
        let present = (try? goldenLines()) ?? []
        let new = try Golden.all.dropFirst(present.count).map { try $0.line() }
        try Data((present + new).joined()).write(to: Self.fixture)
    }

    @Test func `a configuration that says nothing has the defaults`() throws {
        let read = try JSONDecoder().decode(SessionConfigurationRecord.self, from: Data("{}".utf8))
        #expect(read == SessionConfigurationRecord())
        var other = SessionConfigurationRecord()
        other.timeoutForRequest = 5
        other.isDiscretionary = true
        other.certificateFile = "/ca"
        other.additionalHeaders = [HeaderField("A", "b")]
        let back = try JSONDecoder().decode(
            SessionConfigurationRecord.self, from: JSONEncoder().encode(other))
        #expect(back == other)
    }

    @Test(.disabled(if: isWriting)) func `every message is written to the letter and read back whole`() throws
    {
        let lines = try goldenLines()
        #expect(lines.count == Golden.all.count)
        for (golden, line) in zip(Golden.all, lines) {
            let written = try golden.line()
            #expect(
                written == line,
                "\(golden.name)\nwrites \(String(decoding: written, as: UTF8.self))wants  \(String(decoding: line, as: UTF8.self))"
            )
            #expect(try golden.again(line) == line, "\(golden.name)")
        }
    }

    @Test func `no message contains a newline before its end`() throws {
        for golden in Golden.all {
            let line = try golden.line()
            #expect(line.firstIndex(of: 0x0A) == line.count - 1, "\(golden.name)")
        }
    }

    @Test func `every member of a snapshot, a request and a configuration is in the golden lines`() {
        // A member left nil would be missing from its line, and its spelling unguarded.
        for value in [
            Golden.termsTask, Golden.metrics, Golden.metrics.transactions[0],
            Golden.grownRequest, Golden.askingConfiguration, Golden.wakingCommand, Golden.fullError,
            Golden.challenge,
            Golden.fullConfiguration.proxies, Golden.grownCreation, Golden.fullUpdate,
        ] as [Any] {
            for member in Mirror(reflecting: value).children {
                #expect("\(member.value)" != "nil", "\(type(of: value)).\(member.label ?? "")")
            }
        }
    }

    func params<Params: Decodable>(_ type: Params.Type, _ text: String) throws -> Params {
        try JSONRPC.params(type, in: Data(text.utf8))
    }

    @Test func `unknown members are passed over`() throws {
        let hello = try params(
            Hello.self,
            #"{"jsonrpc":"2.0","id":1,"method":"hello","trace":[1,{}],"params":{"version":9,"client":"c","mood":null}}"#
        )
        #expect(hello.version == 9)
        #expect(hello.product == nil)
    }

    @Test func `absent, null and empty parameters are the same where none are needed`() throws {
        for member in ["", #","params":null"#, #","params":{}"#, #","params":{"new":1}"#] {
            _ = try params(Flush.self, #"{"jsonrpc":"2.0","id":1,"method":"flush"\#(member)}"#)
            #expect(throws: DecodingError.self) {
                try params(ResumeTask.self, #"{"jsonrpc":"2.0","id":1,"method":"task.resume"\#(member)}"#)
            }
        }
    }

    @Test func `an id is a number, a string, null or absent`() throws {
        func id(_ text: String) throws -> MessageID? {
            try MessageEnvelope(line: Data(#"{"jsonrpc":"2.0",\#(text)"method":"flush"}"#.utf8)).id
        }
        #expect(try id(#""id":-3,"#) == .number(-3))
        #expect(try id(#""id":9223372036854775807,"#) == .number(.max))
        #expect(try id(#""id":"3","#) == .string("3"))
        #expect(try id(#""id":null,"#) == nil)
        #expect(try id("") == nil)
        for wrong in ["1.5", "[1]", "true", "99999999999999999999"] {
            #expect(throws: (any Error).self) { try id(#""id":\#(wrong),"#) }
        }
        let failure = try JSONRPC.failure(.parse("x"), to: nil)
        #expect(String(decoding: failure, as: UTF8.self).contains(#""id":null"#))
    }

    @Test(arguments: [
        #"{"code":-32000,"message":"m","data":{"reason":"moonPhase","phase":3}}"#,
        #"{"code":-32000,"message":"m"}"#, #"{"code":-32000,"message":"m","data":null}"#,
        #"{"code":-32000,"message":"m","data":"just text"}"#,
        #"{"code":-32000,"message":"m","data":{"pid":"seven"}}"#,
    ])
    func `an error of a newer peer is heard`(error: String) throws {
        let envelope = try MessageEnvelope(line: Data(#"{"id":1,"error":\#(error)}"#.utf8))
        #expect(envelope.error?.code == -32000)
        #expect(envelope.error?.message == "m")
        if error.contains("moonPhase") {
            #expect(envelope.error?.data?.reason == RPCError.Reason(rawValue: "moonPhase"))
            #expect(envelope.error?.data?.reason != .leaving)
        }
    }

    private var reader: MessageReader {
        let reader = MessageReader()
        reader.learn(CreateTask.self)
        reader.learn(ResumeTask.self)
        reader.learn(Flush.self)
        reader.learn(AcknowledgeEvent.self)
        return reader
    }

    @Test func `one pass reads what two would`() throws {
        let call = try JSONRPC.request(Golden.fullCreation, id: .string("x"))
        let message = try reader.read(call)
        #expect(message.envelope.id == .string("x"))
        #expect(message.envelope.method == CreateTask.method)
        let params = try #require(try message.params?.get() as? CreateTask)
        #expect(try JSONRPC.request(params, id: .string("x")) == call)
        let note = try reader.read(JSONRPC.notification(AcknowledgeEvent(sequence: 9)))
        #expect(note.envelope.id == nil)
        #expect((try note.params?.get() as? AcknowledgeEvent)?.sequence == 9)
    }

    @Test func `parameters that cannot be read spoil nothing else of a message`() throws {
        let wrong = try reader.read(
            Data(#"{"id":7,"jsonrpc":"2.0","method":"task.resume","params":{"identifier":"seven"}}"#.utf8))
        #expect(wrong.envelope.id == .number(7))
        #expect(throws: DecodingError.self) { try wrong.params?.get() }
        let absent = try reader.read(Data(#"{"id":7,"jsonrpc":"2.0","method":"flush"}"#.utf8))
        #expect(try absent.params?.get() is Flush)
        let unknown = try reader.read(Data(#"{"id":7,"jsonrpc":"2.0","method":"new.one","params":[1]}"#.utf8))
        if case .some = unknown.params { Issue.record("nobody knows this method") }
        let answer = try reader.read(JSONRPC.failure(.methodNotFound("x"), to: .number(3)))
        #expect(answer.envelope.error == .methodNotFound("x"))
    }

    @Test func `garbage is an error and never a trap`() throws {
        var garbage: [Data] = ["", "{", "null", "[]", "1", "\"x\"", "{\"id\":{}}", "{\"id\":1}{\"id\":2}"]
            .map { Data($0.utf8) }
        garbage.append(Data((0...255).map { UInt8($0) }))
        garbage.append(Data(repeating: UInt8(ascii: "["), count: 200_000))
        garbage.append(Data(#"{"a":"#.utf8) + Data(repeating: UInt8(ascii: "["), count: 200_000))
        garbage.append(Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]))
        for line in garbage {
            _ = try? MessageEnvelope(line: line)
            _ = try? reader.read(line)
            _ = try? JSONRPC.params(CreateTask.self, in: line)
            _ = try? JSONRPC.result(Hello.Result.self, in: line)
        }
    }
}
