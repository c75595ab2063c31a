import type { Redaction } from "#lib/replay/cassettes/index";
import { readRequest } from "./read-request";
import { sealExchange } from "./seal-exchange";
import type { Exchange, Tape } from "./tape";
import { startReplacement } from "./tape-replacement";
import type { TapeRequest } from "./tape-request";
import { maskSession } from "./web-sockets/mask-session";
import { bodyOf, messagesOf } from "./web-sockets/messages";

type MaskOptions = { secrets: readonly string[]; allowed: readonly string[] };

type Found = Pick<Redaction, "place" | "rule">;
/** A recording in which something was masked, or looks like a secret and was not. */
type MaskedRecording = { file: string; redactions: Found[]; suspicions: Found[] };

function bytesOf({ body }: Exchange["request"]): Uint8Array {
  if (body === null) return Buffer.alloc(0);
  if ("json" in body) return Buffer.from(JSON.stringify(body.json));
  return "s" in body ? Buffer.from(body.s) : Buffer.from(body.b, "base64");
}

type Masked = Pick<TapeRequest, "query" | "headers"> & { location?: string | undefined };

/** Returns what was masked of URLs in headers and left out of a query, which are no redactions of a cassette. */
function compareUrls(before: Masked, after: Masked): Found[] {
  const names = Object.keys(before.headers ?? {}).filter((name) => before.headers?.[name] !== after.headers?.[name]);
  const places = [
    ...names.map((name) => `/headers/${name}`),
    ...(new URLSearchParams(before.query).size === new URLSearchParams(after.query).size ? [] : ["/query"]),
    ...(before.location === after.location ? [] : ["response: location"]),
  ];
  return places.map((place) => ({ place, rule: "url" }));
}

/** Seals a recording again, as if it had been recorded with these secrets, after those of `into`. */
async function sealAgain(tape: Tape, into: Tape, exchange: Exchange, options: MaskOptions) {
  const { file, provider, request } = exchange;
  const { cassette, chunks } = await tape.readAnswer(exchange);
  const { id, end, provenance } = cassette;
  const { status, headers } = cassette.response;
  const raw = { ...request, headers: request.headers ?? {} };
  const messages = messagesOf(request);
  const whole = { status, headers, chunks: [...chunks] };
  const session = messages && maskSession({ messages, answer: whole }, raw, options);
  const body = session ? bodyOf(session.messages) : bytesOf(request);
  const { asked, ...found } = readRequest({ ...raw, body }, options.secrets, options.allowed, Object.keys(raw.headers));
  const known = cassette.request.redactions;
  const sealed = sealExchange(into, {
    file,
    provider,
    request: { ...asked, place: request.place, sentAt: request.sentAt },
    redactions: [...known, ...(session?.redactions ?? []), ...found.redactions],
    answer: session?.answer ?? whole,
    ...options,
    origin: provenance,
    recordedAt: new Date(provenance.recorded_at),
    known: { id, end },
  });
  const urls = compareUrls(
    { ...request, location: headers.location },
    { ...asked, location: sealed.cassette.response.headers.location },
  );
  const redactions = [...sealed.cassette.request.redactions.slice(known.length), ...urls];
  const suspicions = [...(session?.suspicions ?? []), ...found.suspicions, ...sealed.suspicions];
  return { sealed, masked: { file, redactions, suspicions } };
}

async function replace(tape: Tape, options: MaskOptions): Promise<void> {
  const into = await startReplacement(tape);
  try {
    for (const exchange of tape.exchanges) {
      const { sealed } = await sealAgain(tape, into, exchange, options);
      await into.add(sealed, () => sealed, { isLast: true });
    }
    await into.moveTo(tape.folder);
  } finally {
    await into.discard();
  }
}

/**
 * Masks secrets on a tape that was recorded without them, and returns the recordings that have some. All files are replaced
 * together; with `isDryRun`, and if there is nothing to mask, nothing is written. Throws TapeError and WriteError.
 */
export async function maskTape(
  tape: Tape,
  { isDryRun, ...options }: MaskOptions & { isDryRun: boolean },
): Promise<MaskedRecording[]> {
  const unwritten = tape.successor(tape.folder);
  const all: MaskedRecording[] = [];
  for (const exchange of tape.exchanges) all.push((await sealAgain(tape, unwritten, exchange, options)).masked);
  if (!isDryRun && all.some(({ redactions }) => redactions.length > 0)) await replace(tape, options);
  return all.filter(({ redactions, suspicions }) => redactions.length + suspicions.length > 0);
}
