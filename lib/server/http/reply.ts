import { createHash } from "node:crypto";
import type { Download } from "#lib/replay/cassettes/index";
import type { Replay } from "#lib/replay/playback/index";

/** A response, independent of the transport: the route handler and the Node server both write it. */
export type Reply = {
  status: number;
  headers: Record<string, string>;
  body:
    | { kind: "none" }
    | { kind: "text"; text: string }
    | { kind: "replay"; replay: Replay }
    | { kind: "stream"; stream: ReadableStream<Uint8Array> };
};

export function jsonReply(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    body: { kind: "text", text: `${JSON.stringify(value)}\n` },
  };
}

export function textReply(text: string, contentType: string, headers: Record<string, string> = {}): Reply {
  return { status: 200, headers: { "Content-Type": contentType, ...headers }, body: { kind: "text", text } };
}

export function emptyReply(status: number, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: { kind: "none" } };
}

export function redirectReply(location: string): Reply {
  return emptyReply(302, { Location: location, "Cache-Control": "no-store" });
}

export function replayReply(replay: Replay): Reply {
  const { status, headers } = replay;
  return status === 204 ? emptyReply(status, headers) : { status, headers, body: { kind: "replay", replay } };
}

export function streamReply(stream: ReadableStream<Uint8Array>, headers: Record<string, string>): Reply {
  return { status: 200, headers, body: { kind: "stream", stream } };
}

/** Sends bytes as a file to download. */
export function downloadReply({ fileName, contentType, bytes }: Download): Reply {
  return streamReply(new Blob([new Uint8Array(bytes)]).stream(), {
    "Content-Type": contentType,
    "Content-Disposition": `attachment; filename="${fileName}"`,
  });
}

export function isReply(value: unknown): value is Reply {
  return typeof value === "object" && value !== null && "status" in value && "headers" in value && "body" in value;
}

function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch === "*" || ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}

/** Returns the `Last-Modified` header, in whole seconds; no header for null. */
export function lastModified(at: Date | null): Record<string, string> {
  return at === null ? {} : { "Last-Modified": at.toUTCString() };
}

/** The conditional headers of a request. */
type Conditions = { ifNoneMatch: string | null; ifModifiedSince: string | null };

/** `If-Modified-Since` applies only without `If-None-Match`, and is ignored if it is not a date (RFC 9110). */
function isCurrent(headers: Reply["headers"], etag: string, { ifNoneMatch, ifModifiedSince }: Conditions): boolean {
  if (ifNoneMatch !== null) return matches(ifNoneMatch, etag);
  const { "Last-Modified": changed } = headers;
  return changed !== undefined && ifModifiedSince !== null && Date.parse(changed) <= Date.parse(ifModifiedSince);
}

/** Adds the ETag of the body, and returns a 304 if the client's copy is current. */
export function withETag(reply: Reply, conditions: Conditions): Reply {
  if (reply.body.kind !== "text" || reply.status !== 200) return reply;
  const etag = `"${createHash("sha256").update(reply.body.text).digest("base64url").slice(0, 27)}"`;
  const headers: Reply["headers"] = { ...reply.headers, ETag: etag };
  if (!isCurrent(headers, etag, conditions)) return { ...reply, headers };
  const { "Content-Type": _type, ...rest } = headers;
  return emptyReply(304, rest);
}
