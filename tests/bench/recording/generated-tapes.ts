import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashForMatch, serializeCassette } from "#lib/replay/cassettes/index";
import { sealExchange } from "#lib/replay/recording-proxy/seal-exchange";
import { Tape } from "#lib/replay/recording-proxy/tape";
import { tapeFolder } from "#lib/replay/recording-proxy/tape-name";
import { promptStream, type Stream } from "./streams";

export const promptOf = (number: number) => `What is the plan for day ${number}?`;

/** Writes a tape with these streams, as the proxy would, but without syncing each file. */
export async function writeTape(tapes: string, test: string, streams: readonly Stream[]): Promise<void> {
  const folder = join(tapes, ...tapeFolder(test));
  const tape = await Tape.open({ root: tapes, folder }, test);
  await mkdir(folder, { recursive: true });
  const exchanges = [];
  for (const { provider, path, query, body, contentType, bytes } of streams) {
    const file = tape.reserveFile();
    const request = { method: "POST", path, query, body: { json: body } };
    const answer = { status: 200, headers: { "content-type": contentType }, chunks: [{ deltaMs: 1, bytes }] };
    const { cassette } = sealExchange(tape, {
      file,
      provider,
      request,
      redactions: [],
      answer,
      secrets: [],
      origin: {
        kind: "recorded",
        timing: "measured",
        clock: "monotonic",
        boundary: "http-read",
        source: { base_url: "https://provider.example" },
      },
      recordedAt: new Date("2026-11-01T00:00:00Z"),
    });
    await writeFile(join(folder, file), serializeCassette(cassette));
    const match = hashForMatch(provider, { ...request, path }).slice(0, 12);
    exchanges.push({ file, request: `${provider.name} POST ${path}`, parent: null, match });
  }
  await writeFile(
    join(folder, "tape.json"),
    `${JSON.stringify({ schema: "tape/1", test, volatile: [], exchanges }, null, 2)}\n`,
  );
}

/** Writes `tapeCount` tapes with `count` recordings each. */
export async function writeTapes(tapes: string, tapeCount: number, count: number): Promise<void> {
  const streams = Array.from({ length: count }, (_, number) => promptStream("chat", promptOf(number)));
  for (let tape = 0; tape < tapeCount; tape += 1) await writeTape(tapes, `test ${tape}`, streams);
}
