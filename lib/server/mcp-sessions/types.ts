import type { Caller } from "#lib/accounts/keys/index";
import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import type { Log } from "#lib/platform/log";

export type SessionContext = { database: Database; clock: Clock; caller: Caller; clientAddress: () => string | null };

/** Context of what waits for rows that any instance may write. */
export type WaitContext = { database: Database; clock: Clock; log: Log };

/** A session of an MCP client. */
export type Session = { id: string; protocolVersion: string };

/** A change of a topic, with the id that orders all changes. */
export type TopicChange = { id: bigint; topic: string };

/** An open stream of this instance, and the id up to which its client has received changes. */
export type OpenStream = { sessionId: string; streamId: string; position: bigint };

/** The unsent changes of a stream, and the newest id of all changes. */
export type StreamUpdate = { streamId: string; newest: bigint; changes: TopicChange[] };
