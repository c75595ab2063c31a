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

/** How PostgreSQL's programs are started: it refuses to run as root. */
export type PostgresAccount = { uid?: number; gid?: number; prefix: readonly string[] };

/**
 * As an ordinary user: that user. As root: the owner of an existing cluster, else `nobody`; and where a folder on the
 * way is closed to others, with the one capability that passes it.
 */
export function postgresAccount(cluster: string, programs: string): PostgresAccount {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = statSync(cluster, { throwIfNoEntry: false });
  const [uid, gid] = owner && owner.uid !== 0 ? [owner.uid, owner.gid] : [nobodyId, nobodyId];
  if ([path.dirname(cluster), programs].every((file) => isReachable(file, uid, gid))) return { uid, gid, prefix: [] };
  const setpriv = findInPath("setpriv");
  if (!setpriv) {
    throw new Error(
      `PostgreSQL does not run as root, and user ${uid} may not enter ${path.dirname(cluster)}. ` +
        "Run Tapedeck as an ordinary user, install setpriv (util-linux), or set DATABASE_URL.",
    );
  }
  return { uid, gid, prefix: [setpriv, `--reuid=${uid}`, `--regid=${gid}`, ...setprivOptions] };
}

/** Hands a file, or a folder with all that is in it, over to the account that PostgreSQL runs under. */
export function giveTo({ uid, gid }: PostgresAccount, file: string): void {
  if (uid === undefined || gid === undefined) return;
  const found = lstatSync(file);
  // What is there belongs to the account already, except in a copy that root made.
  if (found.uid === uid) return;
  if (found.isDirectory())
    for (const name of readdirSync(file)) giveTo({ uid, gid, prefix: [] }, path.join(file, name));
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
