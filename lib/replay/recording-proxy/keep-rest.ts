import type { MatchOptions } from "./match-request";
import { sealExchange } from "./seal-exchange";
import type { Exchange, Tape } from "./tape";

/** Adds a recording of another tape to a tape, after those that it has. Throws TapeError and WriteError. */
async function copyExchange(from: Tape, to: Tape, exchange: Exchange): Promise<void> {
  const { provider, request } = exchange;
  const { cassette, chunks } = await from.readAnswer(exchange);
  const { provenance, response, end } = cassette;
  const seal = (file: string) =>
    sealExchange(to, {
      file,
      provider,
      request,
      redactions: cassette.request.redactions,
      answer: { status: response.status, headers: response.headers, chunks: [...chunks] },
      secrets: [],
      origin: provenance,
      recordedAt: new Date(provenance.recorded_at),
      known: { end },
    });
  await to.add(seal(to.reserveFile()), seal, { isLast: true });
}

/**
 * Adds the recordings of a tape to the one that replaces it, but for those whose requests were recorded again. Returns how
 * many. Throws TapeError and WriteError.
 */
export async function keepRest(
  tape: Tape,
  replacement: Tape,
  options: Omit<MatchOptions, "volatile" | "repeats">,
): Promise<number> {
  for (const { provider, request } of replacement.exchanges)
    await tape.find(provider, request, { ...options, repeats: "none", isTaken: true });
  const rest = tape.exchanges.filter(({ isPlayed }) => !isPlayed);
  for (const exchange of rest) await copyExchange(tape, replacement, exchange);
  return rest.length;
}
