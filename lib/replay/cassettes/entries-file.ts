import { open } from "node:fs/promises";
import type { Entry } from "./read-entries";
import { writeFileAtomically } from "./write-file";

type Entries = ReadonlyMap<string, Entry>;
type Header = { code: string; place: string; count: number };

/** What a catalogue found in its files, on disk, so that a start reads only the files that changed since. */
export type EntriesFile = {
  /** Returns no entries if there is no file, or if it is damaged, of another store or written by other code. */
  read(): Promise<Entries>;
  /** Throws WriteError. */
  write(entries: Entries): Promise<void>;
};

/** Yields a line for each entry, so that writing tens of megabytes does not hold up replays. */
function* linesOf(header: Header, entries: Iterable<[string, Entry]>): Generator<string> {
  yield `${JSON.stringify(header)}\n`;
  // Node.js 24 ends lines at these characters too.
  for (const pair of entries)
    yield `${JSON.stringify(pair).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

async function readLines(path: string, { code, place }: Omit<Header, "count">): Promise<Entries> {
  const file = await open(path);
  const entries = new Map<string, Entry>();
  let header: Header | undefined;
  try {
    for await (const line of file.readLines()) {
      if (header) entries.set(...(JSON.parse(line) as [string, Entry]));
      else {
        header = JSON.parse(line) as Header;
        if (header.code !== code || header.place !== place) return new Map();
      }
    }
  } finally {
    // It is only closed if it was read to its end.
    await file.close().catch(() => undefined);
  }
  return entries.size === header?.count ? entries : new Map();
}

type Names = {
  /** Names the store. */
  place: string;
  /** Returns what changes with the code that describes cassettes; undefined if that may change at any time. */
  code: () => Promise<string | undefined>;
};

/**
 * Returns the entries file at a path. Files that failed verification are not written, so that each start says in the log
 * which are ignored.
 */
export function entriesFile(path: string, { place, code: codeOf }: Names): EntriesFile {
  return {
    read: async () => {
      const code = await codeOf();
      return code === undefined ? new Map() : readLines(path, { place, code }).catch(() => new Map());
    },
    write: async (entries) => {
      const code = await codeOf();
      if (code === undefined) return;
      const written = [...entries].filter(([, { summary }]) => summary !== null);
      const lines = linesOf({ place, code, count: written.length }, written);
      // The texts of a private store must not become readable for others.
      await writeFileAtomically(path, lines, { replace: true, mode: 0o600 });
    },
  };
}
