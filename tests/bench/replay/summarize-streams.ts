import { createHash } from "node:crypto";
import type { GroupResult } from "./load-job";
import { median, spreadOfErrors } from "./percentiles";
import type { StreamClient } from "./stream-client";

/** Summarizes one group's streams. `startedAtMs` is the start of the job on the clock of the arrivals. */
export function summarizeStreams(clients: readonly StreamClient[], startedAtMs: number): GroupResult {
  const failures: Record<string, number> = {};
  let identicalCount = 0;
  let chunkCount = 0;
  for (const client of clients) {
    if (client.failure !== undefined) failures[client.failure] = (failures[client.failure] ?? 0) + 1;
    if (isIdentical(client)) identicalCount++;
    chunkCount += client.arrivedCount;
  }
  const errors = collectErrors(clients, startedAtMs);
  return {
    streamCount: clients.length,
    failures,
    identicalCount,
    chunkCount,
    error: spreadOfErrors(errors.fromFirstChunk),
    errorFromRequest: spreadOfErrors(errors.fromRequest),
    firstChunkDelay: spreadOfErrors(Float64Array.from(startedOf(clients), firstChunkDelayMs)),
    driftMs: median(startedOf(clients).flatMap(lastChunkErrorMs)),
  };
}

function isIdentical({ body, bodyByteSize, group }: StreamClient): boolean {
  if (bodyByteSize !== group.expectation.byteSize) return false;
  const sha256 = createHash("sha256").update(body.subarray(0, bodyByteSize)).digest("hex");
  return sha256 === group.expectation.bodySha256;
}

function startedOf(clients: readonly StreamClient[]): StreamClient[] {
  return clients.filter(({ arrivedCount }) => arrivedCount > 0);
}

/** Returns the start of the stream's own schedule: its first chunk's arrival minus the recorded delay before it. */
function originMs({ arrivalsMs, group }: StreamClient): number {
  return arrivalsMs[0]! - group.expectation.dueMs[0]!;
}

function firstChunkDelayMs(client: StreamClient): number {
  return originMs(client) - client.requestedAtMs;
}

function lastChunkErrorMs(client: StreamClient): number[] {
  const last = client.arrivalsMs.length - 1;
  if (client.arrivedCount <= last) return [];
  return [Math.abs(client.arrivalsMs[last]! - originMs(client) - client.group.expectation.dueMs[last]!)];
}

type Errors = { fromFirstChunk: Float64Array; fromRequest: Float64Array };

/** Returns the signed difference of arrival and due time of every counted chunk, for both schedules. */
function collectErrors(clients: readonly StreamClient[], startedAtMs: number): Errors {
  const capacity = clients.reduce((sum, { arrivalsMs }) => sum + arrivalsMs.length, 0);
  const fromFirstChunk = new Float64Array(capacity);
  const fromRequest = new Float64Array(capacity);
  let count = 0;
  for (const client of startedOf(clients)) {
    const { arrivalsMs, requestedAtMs } = client;
    const { dueMs } = client.group.expectation;
    const span = client.group.countedSpan ?? { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
    const zeroMs = originMs(client);
    const arrived = Math.min(client.arrivedCount, arrivalsMs.length);
    for (let index = 0; index < arrived; index++) {
      const dueAfterStartMs = zeroMs + dueMs[index]! - startedAtMs;
      if (dueAfterStartMs < span.fromMs || dueAfterStartMs >= span.toMs) continue;
      fromFirstChunk[count] = arrivalsMs[index]! - zeroMs - dueMs[index]!;
      fromRequest[count++] = arrivalsMs[index]! - requestedAtMs - dueMs[index]!;
    }
  }
  return { fromFirstChunk: fromFirstChunk.subarray(0, count), fromRequest: fromRequest.subarray(0, count) };
}
