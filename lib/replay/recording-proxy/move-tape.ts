import { mkdir, readdir, rename, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { tapeFileName, writeFileAtomically } from "#lib/replay/cassettes/index";
import { requireInside } from "./inside";
import { finishReplacement } from "./tape-commit";
import { TapeError } from "./tape-error";
import { listCassetteFiles, readTapeFile } from "./tape-file";
import { placeTape } from "./tape-place";

/** A tape, and the test whose it becomes. */
type TapeMove = { folder: string; test: string };

/** Returns the list of a tape and its new folder, which has no tape. Throws TapeError. */
async function checkMove(root: string, { folder, test }: TapeMove) {
  if (test.trim() === "") throw new TapeError("The new name of the test is empty");
  const list = await readTapeFile(folder, root);
  const target = placeTape(root, test);
  requireInside(root, target);
  if (!list) throw new TapeError(`${folder} has no tape`);
  if (target !== folder) {
    // Else the tape that a killed run left there would replace this one later.
    await finishReplacement(target, root);
    if ((await readTapeFile(target, root)) || (await listCassetteFiles(target, root)).length > 0) {
      const advice = "If a run after the test was renamed recorded it, delete that folder, then move again";
      throw new TapeError(`"${test}" has a tape already, in ${target}. ${advice}`);
    }
    const entries = await readdir(folder, { withFileTypes: true });
    if (entries.some((entry) => entry.isDirectory())) throw new TapeError(`${folder} has other folders in it`);
  }
  return { list, folder, test, target };
}

/**
 * Makes tapes those of other tests, and returns their new folders. All are checked before one moves. If it is interrupted, it
 * can be repeated. Throws TapeError.
 */
export async function moveTapes(root: string, moves: readonly TapeMove[]): Promise<string[]> {
  const checked: Awaited<ReturnType<typeof checkMove>>[] = [];
  for (const move of moves) checked.push(await checkMove(root, move));
  for (const { list, folder, test, target } of checked) {
    if (target !== folder) {
      await mkdir(dirname(target), { recursive: true });
      await rename(folder, target);
      // Only if it is empty.
      if (dirname(folder) !== root) await rmdir(dirname(folder)).catch(() => undefined);
    }
    const text = `${JSON.stringify({ ...list, test }, null, 2)}\n`;
    await writeFileAtomically(join(target, tapeFileName), text, { replace: true });
  }
  return checked.map(({ target }) => target);
}
