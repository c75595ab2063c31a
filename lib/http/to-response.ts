import { playToStream } from "#lib/replay/index";
import type { Reply } from "./reply";

/** Writes a reply as a Web Response, for the route handlers. */
export function toResponse(reply: Reply, headOnly = false): Response {
  const { status, headers, body } = reply;
  if (headOnly || body.kind === "none") return new Response(null, { status, headers });
  if (body.kind === "text") return new Response(body.text, { status, headers });
  return new Response(playToStream(body.replay), { status, headers });
}
