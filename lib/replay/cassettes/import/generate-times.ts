import { createHash } from "node:crypto";
import type { Delta, Provider, TimedChunk } from "#lib/replay/providers/index";
import { createRandom, type Random } from "../author/seeded-random";
import type { EventPiece } from "./event-pieces";

/** Delay of the first event after the request, in milliseconds: minimum and maximum. */
const firstMs = [400, 1200] as const;
/** Delay of events without text, which arrive together with the previous one: starts, ends, pings, comments. */
const togetherMs = [0.2, 2] as const;
/** Delay of the first piece of a text, of thinking or of a tool's input. */
const firstDeltaMs = [60, 300] as const;
/** Delay of a further piece; it tends towards the minimum. */
const deltaMs = [12, 60] as const;
/** Delay of an error. */
const pauseMs = [120, 500] as const;

function delayOf(kind: Delta["kind"] | undefined, previous: Delta["kind"] | undefined, random: Random): number {
  if (kind === undefined) return random.between(...togetherMs);
  if (kind === "error") return random.between(...pauseMs);
  return kind === previous ? random.skewed(...deltaMs) : random.between(...firstDeltaMs);
}

/**
 * Generates plausible times for captures without any: a wait for the first event, pieces of text some tens of
 * milliseconds apart, and a pause before each new kind. The same bytes get the same times on every machine.
 */
export function generateTimes(pieces: readonly EventPiece[], provider: Provider): TimedChunk[] {
  const hash = createHash("sha256");
  for (const { bytes } of pieces) hash.update(bytes);
  const random = createRandom(hash.digest().readUInt32BE(0));
  let previous: Delta["kind"] | undefined;
  return pieces.map(({ bytes, event }, index) => {
    const [delta] = event?.json ? provider.readDeltas(event.json) : [];
    const kind = delta?.kind;
    const deltaMs = index === 0 ? random.between(...firstMs) : delayOf(kind, previous, random);
    previous = kind ?? previous;
    return { deltaMs, bytes };
  });
}
