import { mkdir, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { minuteMs } from "#lib/platform/time";
import { codeOf, isAlive, tapeFileName } from "#lib/replay/cassettes/index";
import { requireInside } from "./inside";
import { TapeError } from "./tape-error";
import { readTapeFile, readyEnding } from "./tape-file";

/** Numbered recordings, which the list lacks after a kill, the list, and temporary files of both. */
const ownPattern = /^(?:\d{3,}\.cassette|tape)\.json(?:\.\d+-[0-9a-f]+\.tmp)?$/;
const ownerPattern = /^owner-(\d+)$/;

/** Waits for another run that replaces the same tape. */
const waits = { count: 250, ms: 20 };
/** Age at which nobody replaces a tape any more, although a process has the id: ids are reused. */
const maxReplacementMs = minuteMs;

/** Whether the run that was replacing a tape has ended. */
async function isAbandoned(ready: string, names: readonly string[]): Promise<boolean> {
  const [, pid] = names.map((name) => ownerPattern.exec(name)).find((found) => found !== null) ?? [];
  if (pid === undefined || !isAlive(Number(pid))) return true;
  const { mtimeMs } = await stat(ready).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > maxReplacementMs;
}

/** Returns the files of a tape: those that its list names, and its numbered ones. */
async function filesOf(folder: string, root: string): Promise<string[]> {
  const list = await readTapeFile(folder, root).catch(() => null);
  const listed = new Set(list?.exchanges.map(({ file }) => file));
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => listed.has(name) || (ownPattern.test(name) && name !== tapeFileName));
}

/** Removes a tape's files, its list last, and its folder unless something else is in it. */
export async function removeTape(folder: string, root: string): Promise<void> {
  requireInside(root, folder);
  for (const file of [...(await filesOf(folder, root)), tapeFileName]) await rm(join(folder, file), { force: true });
  for (const name of await readdir(folder).catch(() => []))
    if (ownerPattern.test(name)) await rm(join(folder, name), { force: true });
  await rmdir(folder).catch(() => undefined);
}

/** Puts the files of a complete tape in the place of those of the old one. If it is interrupted, it can be repeated. */
async function moveIn(ready: string, folder: string, root: string): Promise<void> {
  const list = await readTapeFile(ready, root);
  // The list moves last: without it, all have moved.
  if (list) {
    await mkdir(folder, { recursive: true });
    const files = new Set(list.exchanges.map(({ file }) => file));
    const replaced = (await filesOf(folder, root)).filter((file) => !files.has(file));
    const move = (file: string) =>
      rename(join(ready, file), join(folder, file)).catch((error) => {
        if (codeOf(error) !== "ENOENT") throw error;
      });
    for (const file of files) await move(file);
    for (const file of replaced) await rm(join(folder, file), { force: true });
    await move(tapeFileName);
  }
  await removeTape(ready, root);
}

/** Ends the replacement of a tape that a killed run began, or waits for that of another run. Throws TapeError. */
export async function finishReplacement(folder: string, root: string): Promise<void> {
  const ready = folder + readyEnding;
  for (let count = 0; count < waits.count; count += 1) {
    const names = await readdir(ready).catch(() => null);
    if (names === null) return;
    requireInside(root, ready);
    // It is about to be removed; another run may put its own there.
    if (names.length === 0) await rmdir(ready).catch(() => undefined);
    else if (await isAbandoned(ready, names)) await moveIn(ready, folder, root);
    else await wait(waits.ms);
  }
  throw new TapeError(`${folder} is being replaced by another run. If there is none, delete ${ready}`);
}

/**
 * Replaces the tape of a folder by a complete one in a folder beside it, file by file: whatever else is in the folder stays.
 * The old files stay until the new ones are complete, under a name by which they are put in place even after a kill.
 */
export async function replaceFiles(complete: string, folder: string, root: string): Promise<void> {
  const ready = folder + readyEnding;
  for (const path of [complete, ready, folder]) requireInside(root, path);
  await writeFile(join(complete, `owner-${process.pid}`), "");
  for (let count = 0; ; count += 1) {
    await finishReplacement(folder, root);
    try {
      await rename(complete, ready);
      break;
    } catch (error) {
      // Another run began in the meantime.
      const isTaken = codeOf(error) === "ENOTEMPTY" || codeOf(error) === "EEXIST";
      if (!isTaken || count === waits.count) throw error;
    }
  }
  await moveIn(ready, folder, root);
}
