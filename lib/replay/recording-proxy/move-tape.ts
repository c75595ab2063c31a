import { mkdir, readdir, rename, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tapeFileName, writeFileAtomically } from "#lib/replay/cassettes/index";
import { requireInside } from "./inside";
import type { TapePlace } from "./tape";
import { TapeError } from "./tape-error";
import { readTapeFile } from "./tape-file";
import { placeTape } from "./tape-place";

/** Makes a tape that of another test, and returns its new folder. If it is interrupted, it can be repeated. Throws TapeError. */
export async function moveTape({ root, folder }: TapePlace, test: string): Promise<string> {
  const list = await readTapeFile(folder, root);
  const target = placeTape(root, test);
  requireInside(root, target);
  if (!list) throw new TapeError(`${folder} has no tape`);
  if (target !== folder) {
    if (await readTapeFile(target, root)) throw new TapeError(`"${test}" has a tape already, in ${target}`);
    const entries = await readdir(folder, { withFileTypes: true });
    if (entries.some((entry) => entry.isDirectory())) throw new TapeError(`${folder} has other folders in it`);
    await mkdir(dirname(target), { recursive: true });
    await rename(folder, target);
    // Only if it is empty.
    if (dirname(folder) !== root) await rmdir(dirname(folder)).catch(() => undefined);
  }
  const text = `${JSON.stringify({ ...list, test }, null, 2)}\n`;
  await writeFileAtomically(join(target, tapeFileName), text, { replace: true });
  return target;
}
