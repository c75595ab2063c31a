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

describe("waits and sizes are limited", () => {
  test.each<[string, Answer, Partial<typeof recordLimits>, RegExp]>([
    ["headers that never arrive", silence, { headersTimeoutMs: 300 }, /did not start to respond within 0\.3 s/],
    [
      "a stream that stalls",
      stallAfter(half),
      { idleTimeoutMs: 300 },
      /stopped sending in the middle of the response for 0\.3 s/,
    ],
    [
      "an endless body",
      endlessly(Buffer.alloc(60_000, "a")),
      { maxBodyByteSize: 1_000_000 },
      /larger than 1000000 bytes/,
    ],
    ["endless pieces", endlessly(Buffer.from(": ping\n\n")), { maxChunkCount: 50 }, /more than 50 chunks/],
    [
      "a response that takes too long",
      streamOf(body, { chunkBytes: 1, delayMs: 20 }),
      { totalTimeoutMs: 500 },
      /took longer than/,
    ],
  ])("%s", async (_name, answer, change, message) => {
    await expect(recorder.from(answer, { context: { limits: { ...recordLimits, ...change } } })).rejects.toThrow(
      message,
    );
    expect(await recorder.files()).toEqual([]);
  });
});

describe("a full disk", () => {
  const long = sseOf(...messageEvents(Array.from({ length: 400 }, (_, index) => `${index} `.repeat(100))));

  test("is reported, and no file is left behind", async () => {
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

/** Mounts a file system of 64 KiB. Returns false if this machine does not allow it. */
function mountTiny(path: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tapedeck-test", path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
