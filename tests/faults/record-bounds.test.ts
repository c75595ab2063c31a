import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { recordLimits } from "#lib/replay/cassettes/recorder/index";
import {
  type Answer,
  endlessly,
  messageEvents,
  silence,
  sseOf,
  stallAfter,
  streamOf,
} from "#tests/support/provider-double";
import { setUpRecorder } from "#tests/support/recorder";

const events = messageEvents(["Hel", "lo ", "there, ", "naïve 🙂 reader."]);
const body = sseOf(...events);
const half = sseOf(...events.slice(0, 4));
const recorder = setUpRecorder();

describe("every wait and every size has a bound", () => {
  const limits = { ...recordLimits, headersTimeoutMs: 300, idleTimeoutMs: 300 };

  test.each<[string, Answer, Partial<typeof recordLimits>, RegExp]>([
    ["headers that never come", silence, {}, /did not start to respond within 0\.3 s/],
    ["a stream that falls silent", stallAfter(half), {}, /stopped sending in the middle of the response for 0\.3 s/],
    [
      "an endless body",
      endlessly(Buffer.alloc(60_000, "a")),
      { maxBodyByteSize: 1_000_000 },
      /larger than 1000000 bytes/,
    ],
    ["endless pieces", endlessly(Buffer.from(": ping\n\n")), { maxChunkCount: 50 }, /more than 50 chunks/],
    [
      "an answer that goes on and on",
      streamOf(body, { chunkBytes: 1, delayMs: 20 }),
      { totalTimeoutMs: 500 },
      /took longer than/,
    ],
  ])("%s", async (_name, answer, change, message) => {
    await expect(recorder.from(answer, { context: { limits: { ...limits, ...change } } })).rejects.toThrow(message);
    expect(await recorder.files()).toEqual([]);
  });

  test("a recording that is interrupted ends at once and writes nothing, also with allowError", async () => {
    const interrupt = new AbortController();
    const onDelta = () => interrupt.abort();
    const running = recorder.from(stallAfter(half), {
      allowError: true,
      context: { signal: interrupt.signal, onDelta },
    });
    await expect(running).rejects.toMatchObject({ name: "RecordError", kind: "interrupted" });
    expect(await recorder.files()).toEqual([]);
  });
});

describe("a disk that is full", () => {
  const long = sseOf(...messageEvents(Array.from({ length: 400 }, (_, index) => `${index} `.repeat(100))));

  test("is told and leaves nothing behind", async () => {
    const isRoot = process.platform === "linux" && process.getuid?.() === 0;
    const mounted = isRoot && mountTiny(recorder.folder);
    try {
      const { open, link, rename } = await import("node:fs/promises");
      const full = Object.assign(new Error("full"), { code: "ENOSPC" });
      const fileSystem = mounted ? undefined : { open: (() => Promise.reject(full)) as typeof open, link, rename };
      await expect(
        recorder.from(streamOf(long), { destination: { folder: recorder.folder, force: false, fileSystem } }),
      ).rejects.toMatchObject({
        name: "WriteError",
        code: "ENOSPC",
        message: expect.stringContaining("the disk is full"),
      });
      expect(await recorder.files()).toEqual([]);
    } finally {
      if (mounted) execFileSync("umount", [recorder.folder]);
    }
  });
});

/** A file system of 64 KiB; false where this machine does not let us. */
function mountTiny(place: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tapedeck-test", place], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
