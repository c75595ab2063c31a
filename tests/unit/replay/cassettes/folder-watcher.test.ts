import { EventEmitter } from "node:events";
import { type FSWatcher, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { FolderWatcher, type WatchFolder } from "#lib/replay/cassettes/stores/folder-store";
import { temporaryFolder } from "#tests/support/temporary-folder";

const folder = temporaryFolder();

class FakeWatcher extends EventEmitter {
  close(): void {}
}

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: no more watches`), { code });
}

/** Watches with `watch`, and counts the reports and the warnings. */
function start(watch: WatchFolder) {
  const warnings: string[] = [];
  const log = pino({ level: "warn", base: undefined }, { write: (line: string) => void warnings.push(line) });
  const state = { reports: 0, warnings };
  const watcher = new FolderWatcher(folder, { onChange: () => (state.reports += 1), log, watch, pollIntervalMs: 1 });
  return { state, watcher };
}

test("a folder that cannot be watched is read again by time, and the log says so once", async () => {
  const { state, watcher } = start(() => {
    throw systemError("ENOSPC");
  });
  await expect.poll(() => state.reports).toBeGreaterThan(3);
  watcher.close();
  expect(state.warnings).toHaveLength(1);
  expect(state.warnings[0]).toContain("ENOSPC");
});

test("a watcher that fails later is replaced, and reading by time ends when the new one works", async () => {
  const created: FakeWatcher[] = [];
  let isBroken = false;
  const { state, watcher } = start(() => {
    if (isBroken) throw systemError("EMFILE");
    const one = new FakeWatcher();
    created.push(one);
    return one as unknown as FSWatcher;
  });
  const count = created.length;
  isBroken = true;
  created[0]?.emit("error", systemError("EMFILE"));
  await expect.poll(() => state.reports).toBeGreaterThan(3);
  isBroken = false;
  await expect.poll(() => created.length).toBe(count + 1);
  expect(watcher.isPolling).toBe(false);
  watcher.close();
  expect(state.warnings).toHaveLength(1);
});

test("a folder that is removed and created again gets a new watcher", () => {
  const watched: string[] = [];
  const { watcher } = start((path) => {
    watched.push(path);
    return new FakeWatcher() as unknown as FSWatcher;
  });
  const inside = join(folder, "legal");
  // Two folders cannot have one inode.
  const [first, second] = [join(folder, "one"), join(folder, "two")];
  for (const made of [first, second]) mkdirSync(made);
  renameSync(first, inside);
  for (let round = 0; round < 2; round += 1) watcher.watchAll(["legal"]);
  renameSync(inside, first);
  renameSync(second, inside);
  watcher.watchAll(["legal"]);
  watcher.close();
  expect(watched.filter((path) => path === inside)).toHaveLength(2);
});

test("a folder that does not exist yet is not a failure", () => {
  const { state, watcher } = start(() => {
    throw systemError("ENOENT");
  });
  expect([state.warnings, watcher.isPolling]).toEqual([[], false]);
  watcher.close();
});
