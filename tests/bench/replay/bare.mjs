/**
 * The baseline: only node:http and one timer wheel, for cassettes named on the command line. Every stream is in the slot
 * of the millisecond in which its next chunk is due, counted from its request, and one timer serves the slots in turn.
 * It sleeps until the next slot with a stream.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** Slots of the wheel, a power of two. A stream due later than that many milliseconds is passed over once per turn. */
const slotCount = 1024;

const [port, ...files] = process.argv.slice(2);

const cassettes = new Map();
for (const file of files) {
  const cassette = JSON.parse(readFileSync(file, "utf8"));
  let dueMs = 0;
  const chunks = cassette.chunks.map((chunk) => {
    dueMs += chunk.delta_ms;
    const bytes = chunk.s === undefined ? Buffer.from(chunk.b, "base64") : Buffer.from(chunk.s);
    return { dueMs, bytes };
  });
  cassettes.set(`/api/v1/replay/${cassette.id}`, chunks);
}

const slots = Array.from({ length: slotCount }, () => []);
let streamCount = 0;
let servedMs = 0;
let timer;

function place(stream) {
  const slotMs = Math.max(Math.ceil(stream.startedMs + stream.chunks[stream.next].dueMs), servedMs + 1);
  stream.slotMs = slotMs;
  slots[slotMs & (slotCount - 1)].push(stream);
}

function serve() {
  timer = undefined;
  const nowMs = performance.now();
  while (servedMs + 1 <= nowMs) {
    servedMs++;
    const index = servedMs & (slotCount - 1);
    const due = slots[index];
    if (due.length === 0) continue;
    slots[index] = [];
    for (const stream of due) {
      if (stream.gone) continue;
      if (stream.slotMs > servedMs) slots[index].push(stream);
      else step(stream, nowMs);
    }
  }
  arm();
}

function step(stream, nowMs) {
  const { chunks, response } = stream;
  do response.write(chunks[stream.next++].bytes);
  while (stream.next < chunks.length && stream.startedMs + chunks[stream.next].dueMs <= nowMs);
  if (stream.next < chunks.length) return place(stream);
  response.end();
}

function arm() {
  if (timer !== undefined || streamCount === 0) return;
  let waitMs = 1;
  while (waitMs < slotCount && slots[(servedMs + waitMs) & (slotCount - 1)].length === 0) waitMs++;
  timer = setTimeout(serve, servedMs + waitMs - performance.now());
}

const server = createServer((request, response) => {
  const chunks = cassettes.get(request.url);
  if (chunks === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  const stream = { chunks, response, next: 0, startedMs: performance.now(), slotMs: 0, gone: false };
  if (streamCount++ === 0) servedMs = Math.floor(stream.startedMs);
  response.on("close", () => {
    stream.gone = true;
    streamCount--;
  });
  place(stream);
  // A stream that is due earlier than the timer must not wait for the timer.
  if (timer !== undefined) clearTimeout(timer);
  timer = undefined;
  arm();
});
server.listen(Number(port), "127.0.0.1");
process.on("disconnect", () => process.exit(0));
