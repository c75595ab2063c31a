import { accessSync, constants, lchownSync, lstatSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

/** Debian's and most other systems' `nobody`. */
const nobodyId = 65534;
const setprivOptions = [
  "--clear-groups",
  "--inh-caps=+dac_override",
  "--ambient-caps=+dac_override",
  "--securebits=+no_setuid_fixup",
];

/** The user that PostgreSQL's programs run as, and a command prefix. PostgreSQL refuses to run as root. */
export type PostgresAccount = { uid?: number; gid?: number; prefix: readonly string[] };

/**
 * Returns the current user, or for root the owner of an existing cluster, else `nobody`. If that user cannot enter a
 * parent folder, it gets the one capability that allows it.
 */
export function postgresAccount(cluster: string, programs: string): PostgresAccount {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = statSync(cluster, { throwIfNoEntry: false });
  const [uid, gid] = owner && owner.uid !== 0 ? [owner.uid, owner.gid] : [nobodyId, nobodyId];
  if ([path.dirname(cluster), programs].every((file) => isReachable(file, uid, gid))) return { uid, gid, prefix: [] };
  const setpriv = findInPath("setpriv");
  if (!setpriv) {
    throw new Error(
      `PostgreSQL does not run as root, and user ${uid} cannot enter ${path.dirname(cluster)}. ` +
        "Run Tapedeck as an ordinary user, install setpriv (util-linux), or set DATABASE_URL.",
    );
  }
  return { uid, gid, prefix: [setpriv, `--reuid=${uid}`, `--regid=${gid}`, ...setprivOptions] };
}

/** Changes the owner of a file or folder, recursively, to the account that PostgreSQL runs as. */
export function changeOwner({ uid, gid }: PostgresAccount, file: string): void {
  if (uid === undefined || gid === undefined) return;
  const found = lstatSync(file);
  // A folder that belongs to the account needs no recursion; a copy created by root does.
  if (found.uid === uid) return;
  if (found.isDirectory())
    for (const name of readdirSync(file)) changeOwner({ uid, gid, prefix: [] }, path.join(file, name));
  lchownSync(file, uid, gid);
}

function isReachable(file: string, uid: number, gid: number): boolean {
  const parent = path.dirname(file);
  const { mode, uid: ownerUid, gid: ownerGid } = statSync(file);
  const shift = ownerUid === uid ? 6 : ownerGid === gid ? 3 : 0;
  const isOpen = ((mode >> shift) & 0o1) === 0o1;
  return isOpen && (parent === file || isReachable(parent, uid, gid));
}

function findInPath(name: string): string | undefined {
  const candidates = ["/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"].map((folder) =>
    path.join(folder, name),
  );
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
