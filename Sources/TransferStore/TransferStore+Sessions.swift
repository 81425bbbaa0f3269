// Sessions and the configurations their tasks are made with.
import TransferProtocol

extension TransferStore {
    private static let columns = "id, client, identifier, configuration, next_task_identifier"

    public func session(id: Int64) throws(StoreError) -> SessionRecord? {
        try database.rows(
            "find session \(id)", "SELECT \(Self.columns) FROM session WHERE id = ?", [.integer(id)],
            read: SessionRecord.init(row:)
        ).first
    }

    public func session(client: String, identifier: String) throws(StoreError) -> SessionRecord? {
        try database.rows(
            "find the session \(identifier) of \(client)",
            "SELECT \(Self.columns) FROM session WHERE client = ? AND identifier = ?",
            [.text(client), .text(identifier)], read: SessionRecord.init(row:)
        ).first
    }

    /// Every session, in the order they were made.
    public func sessions() throws(StoreError) -> [SessionRecord] {
        try database.rows(
            "list the sessions", "SELECT \(Self.columns) FROM session ORDER BY id",
            read: SessionRecord.init(row:))
    }

    /// Finds the session or makes it. Tasks made from now on get `configuration`; the others keep theirs.
    public func makeSession(
        client: String, identifier: String, configuration: SessionConfigurationRecord
    ) throws(StoreError) -> SessionRecord {
        let attempt = "make the session \(identifier) of \(client)"
        return try database.atomically(attempt) { () throws(StoreError) in
            let row = try self.row(of: configuration, attempt)
            let known = try session(client: client, identifier: identifier)
            if let known, known.configuration == row { return known }
            return try database.rows(
                attempt,
                """
                INSERT INTO session (client, identifier, configuration, next_task_identifier)
                VALUES (?, ?, ?, 1)
                ON CONFLICT (client, identifier) DO UPDATE SET configuration = excluded.configuration
                RETURNING \(Self.columns)
                """, [.text(client), .text(identifier), .integer(row)], read: SessionRecord.init(row:)
            )[0]
        }
    }

    /// Task identifiers of the session go on from `next`; they never go back.
    public func setNextTaskIdentifier(session: Int64, _ next: Int) throws(StoreError) {
        try database.run(
            "set the next task identifier of session \(session)",
            "UPDATE session SET next_task_identifier = ?1 WHERE id = ?2 AND next_task_identifier < ?1",
            [SQLValue(next), .integer(session)])
    }

    /// A configuration by its row; kept in memory after the first time.
    public func configuration(_ id: Int64) throws(StoreError) -> SessionConfigurationRecord {
        if let known = configurations[id] { return known }
        let attempt = "read configuration \(id)"
        let found = try database.rows(
            attempt, "SELECT json FROM configuration WHERE id = ?", [.integer(id)]
        ) { StoreCoding.decode(SessionConfigurationRecord.self, $0.data(0)) }
        guard let found = found.first else {
            throw StoreError(.missing, attempt, message: "no such configuration", path: database.path)
        }
        var configuration = SessionConfigurationRecord()
        switch found {
        case .success(let decoded): configuration = decoded
        case .failure(let error):
            try quarantine(
                QuarantinedRow(origin: .configuration, key: id, task: nil, reason: error.reason))
        }
        configurations[id] = configuration
        return configuration
    }

    /// Equal configurations share a row: attaching again and again leaves nothing behind.
    private func row(
        of configuration: SessionConfigurationRecord, _ attempt: String
    ) throws(StoreError) -> Int64 {
        let json = try StoreCoding.encode(configuration, attempt, path: database.path)
        let known = try database.rows(
            attempt, "SELECT id FROM configuration WHERE json = ? LIMIT 1", [json]
        ) { $0.integer(0) }
        if let known = known.first { return known }
        try database.run(attempt, "INSERT INTO configuration (json) VALUES (?)", [json])
        return database.lastInsertedRow
    }
}

extension SessionRecord {
    fileprivate init(row: Row) {
        self.init(
            id: row.integer(0), client: row.text(1), identifier: row.text(2), configuration: row.integer(3),
            nextTaskIdentifier: row.int(4))
    }
}
