import type { Redaction } from "#lib/replay/cassettes/index";
import { readRequest } from "./read-request";
import { sealExchange } from "./seal-exchange";
import type { Exchange, Tape } from "./tape";
import { startReplacement } from "./tape-replacement";
import { maskSession } from "./web-sockets/mask-session";
import { bodyOf, messagesOf } from "./web-sockets/messages";

type MaskOptions = { secrets: readonly string[]; allowed: readonly string[] };

/** A recording in which something was masked, or looks like a secret and was not. */
export type MaskedRecording = { file: string; redactions: Redaction[]; suspicions: Redaction[] };

function bytesOf({ body }: Exchange["request"]): Uint8Array {
  if (body === null) return Buffer.alloc(0);
  if ("json" in body) return Buffer.from(JSON.stringify(body.json));
  return "s" in body ? Buffer.from(body.s) : Buffer.from(body.b, "base64");
}

/** Seals a recording again, as if it had been recorded with these secrets. */
async function maskExchange(tape: Tape, into: Tape, exchange: Exchange, options: MaskOptions) {
  const { file, provider, request } = exchange;
  const { cassette, chunks } = await tape.readAnswer(exchange);
  const { status, headers } = cassette.response;
  const raw = { ...request, headers: request.headers ?? {} };
  const messages = messagesOf(request);
  const whole = { status, headers, chunks: [...chunks] };
  const session = messages && maskSession({ messages, answer: whole }, raw, options);
  const body = session ? bodyOf(session.messages) : bytesOf(request);
  const { asked, ...found } = readRequest({ ...raw, body }, options.secrets, options.allowed);
  const known = cassette.request.redactions;
  const sealed = sealExchange(into, {
    file,
    provider,
    request: asked,
    redactions: [...known, ...(session?.redactions ?? []), ...found.redactions],
    answer: session?.answer ?? whole,
    ...options,
    origin: cassette.provenance,
    recordedAt: new Date(cassette.provenance.recorded_at),
  });
  await into.add(sealed, () => sealed);
  const redactions = sealed.cassette.request.redactions.slice(known.length);
  const suspicions = [...(session?.suspicions ?? []), ...found.suspicions, ...sealed.suspicions];
  return { file, redactions, suspicions };
}

/**
 * Masks secrets on a tape that was recorded without them, and returns the recordings that have some. All files are replaced
 * together; with `isDryRun`, and if there is nothing to mask, none is. Throws TapeError and WriteError.
 */
export async function maskTape(
  tape: Tape,
  { isDryRun, ...options }: MaskOptions & { isDryRun: boolean },
): Promise<MaskedRecording[]> {
  const into = await startReplacement(tape);
  try {
    const all: MaskedRecording[] = [];
    for (const exchange of tape.exchanges) all.push(await maskExchange(tape, into, exchange, options));
    const isChanged = all.some(({ redactions }) => redactions.length > 0);
    if (isChanged && !isDryRun) await into.moveTo(tape.folder);
    return all.filter(({ redactions, suspicions }) => redactions.length + suspicions.length > 0);
  } finally {
    await into.discard();
  }
}
