import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { codeOf } from "#lib/replay/cassettes/index";
import { OutsideError, TapeError } from "./tape-error";

/** Returns what a link names, and undefined if there is no link at the path. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Returns a path without links; its last parts need not exist. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    const isMissing = codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR";
    if (!isMissing) throw new TapeError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
  const parent = withoutLinks(dirname(path));
  // A link to what does not exist: writing would create it there.
  const target = targetOf(path);
  return target === undefined ? join(parent, basename(path)) : withoutLinks(resolve(parent, target));
}

/** Throws OutsideError if a path leads out of a folder, with `..` or by a symbolic link. */
export function requireInside(root: string, path: string): void {
  const [inside, real] = [withoutLinks(resolve(root)), withoutLinks(resolve(path))];
  if (`${real}${sep}`.startsWith(inside.endsWith(sep) ? inside : inside + sep)) return;
  const link = real === resolve(path) ? "" : `: a symbolic link leads to ${real}`;
  throw new OutsideError(`${path} is outside of the folder ${root}, so it is neither read nor changed${link}`);
}
