import { playToStream } from "#lib/replay/playback/index";
import type { Reply } from "./reply";

/** Writes a reply as a Web Response, for the route handlers. */
export function toResponse(reply: Reply, headOnly = false): Response {
  const { status, headers, body } = reply;
  if (headOnly && body.kind === "stream") void body.stream.cancel();
  if (headOnly || body.kind === "none") return new Response(null, { status, headers });
  if (body.kind === "text") return new Response(body.text, { status, headers });
  if (body.kind === "stream") return new Response(body.stream, { status, headers });
  return new Response(playToStream(body.replay), { status, headers });
}
