import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");

type Source = { file: string; text: string; imports: string[] };

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|tsx|mjs)$/.test(file))
    .map((file) => posix.join(folder, file.replaceAll("\\", "/")));
}

const files = [...filesBelow("lib"), ...filesBelow("app"), "proxy.ts", "instrumentation.ts"];
const known = new Set(files);

/** Returns the file that a specifier refers to. Package names are returned unchanged. */
function resolveImport(file: string, specifier: string): string {
  const isOwn = specifier.startsWith(".") || specifier.startsWith("#lib/") || specifier.startsWith("#app/");
  if (!isOwn) return specifier;
  const path = specifier.startsWith(".")
    ? relative(root, resolve(root, dirname(file), specifier)).replaceAll("\\", "/")
    : specifier.slice(1);
  return [path, `${path}.ts`, `${path}.tsx`, `${path}.mjs`].find((candidate) => known.has(candidate)) ?? path;
}

const sources: Source[] = files.map((file) => {
  const text = readFileSync(join(root, file), "utf8");
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, specifier]) => specifier);
  return { file, text, imports: specifiers.map((specifier) => resolveImport(file, specifier as string)) };
});

/** Parts from top to bottom. A part imports only from lower ranks; parts of one rank do not import each other. */
const ranks = [
  ["app", "cli", "testing"],
  ["jobs"],
  ["server"],
  ["discovery", "tracking"],
  ["replay", "accounts"],
  ["models"],
  ["contract"],
  ["platform"],
];
const rankOf = (part: string) => ranks.findIndex((parts) => parts.includes(part));

/** Returns `server`, `tracking`, …; everything outside of `lib` belongs to `app`. */
const partOf = (file: string) => /^lib\/([^/]+)\//.exec(file)?.[1] ?? "app";
/** Returns the folder with a public interface: `tracking/diffs`, `platform`, … */
const folderOf = (file: string) =>
  /^lib\/((?:server|discovery|tracking|replay|accounts)\/[^/.]+)\//.exec(file)?.[1] ?? partOf(file);

function importsWhere(isWrong: (source: Source, imported: string) => boolean): string[] {
  return sources.flatMap((source) =>
    source.imports
      .filter((imported) => isWrong(source, imported))
      .map((imported) => `${source.file} imports ${imported}`),
  );
}

/** Returns the nodes that reach themselves. */
function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(edges.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
  return [...edges.keys()].filter((node) => reaches(node, node));
}

describe("the import order", () => {
  it("covers all sources, each in a known part", () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(files.filter((file) => rankOf(partOf(file)) === -1)).toEqual([]);
  });

  it("goes from app and cli down to platform, for values and types alike", () => {
    const wrong = importsWhere(({ file }, imported) => {
      if (!known.has(imported)) return false;
      const [from, to] = [partOf(file), partOf(imported)];
      return from !== to && rankOf(from) >= rankOf(to);
    });
    expect(wrong).toEqual([]);
  });

  it("has no cycles between folders", () => {
    const edges = new Map<string, Set<string>>();
    for (const { file, imports } of sources) {
      for (const to of imports.filter((imported) => known.has(imported)).map(folderOf)) {
        if (to !== folderOf(file)) edges.set(folderOf(file), (edges.get(folderOf(file)) ?? new Set()).add(to));
      }
    }
    expect(cyclesOf(edges)).toEqual([]);
  });

  it("has no cycles between files", () => {
    expect(cyclesOf(new Map(sources.map(({ file, imports }) => [file, new Set(imports)])))).toEqual([]);
  });

  it("uses a folder through its index, or a page through its browser.ts, except in the CLI, which loads one command at a time", () => {
    const hasIndex = (folder: string) => known.has(`lib/${folder}/index.ts`);
    const wrong = importsWhere(({ file }, imported) => {
      const folder = folderOf(imported);
      if (!known.has(imported) || folder === folderOf(file) || partOf(file) === "cli" || !hasIndex(folder))
        return false;
      const isForBrowser = partOf(file) === "app" && imported === `lib/${folder}/browser.ts`;
      return imported !== `lib/${folder}/index.ts` && !isForBrowser;
    });
    expect(wrong).toEqual([]);
  });
});

describe("each source file", () => {
  it("imports Prisma, PostgreSQL and Blob only in store files", () => {
    const drivers = ["@vercel/blob", "@prisma/client", "pg"];
    const allowed = /^lib\/(platform\/database\/|(?:[^/]+\/)+store\.ts$|replay\/cassettes\/stores\/)/;
    expect(importsWhere(({ file }, imported) => drivers.includes(imported) && !allowed.test(file))).toEqual([]);
  });

  it("queries the database only in store files", () => {
    const query =
      /\b(?:database|client|transaction)\.(?:\$queryRaw|\$executeRaw|\w+\.(?:find|create|update|delete|upsert|count|aggregate|groupBy)\w*)\b/;
    const allowed = /^lib\/(platform\/database\/|(?:[^/]+\/)+store(?:-[a-z]+)?\.ts$)/;
    expect(sources.filter(({ file, text }) => query.test(text) && !allowed.test(file)).map(({ file }) => file)).toEqual(
      [],
    );
  });

  it("writes SQL only in store files, and for the queue and notifications, which are PostgreSQL's own", () => {
    const sql =
      /\b(?:queryDirectly|transactDirectly)\(|^import \{[^}]*\bPrisma\b[^}]*\} from "#prisma\/generated\/client"/m;
    const allowed =
      /^lib\/(platform\/database\/|jobs\/queue\/client\.ts|server\/notifications\/notifications\.ts|(?:[^/]+\/)+store(?:-[a-z]+)?\.ts$)/;
    expect(sources.filter(({ file, text }) => sql.test(text) && !allowed.test(file)).map(({ file }) => file)).toEqual(
      [],
    );
  });

  it("reads the environment only in the configuration and the bootstrap", () => {
    const readers = sources.filter(({ text }) => /process\.env\b/.test(text)).map(({ file }) => file);
    expect(
      readers.filter((file) => !/^(lib\/platform\/config\.ts|lib\/cli\/bootstrap|instrumentation\.ts)/.test(file)),
    ).toEqual([]);
  });

  it("has at most 300 lines", () => {
    expect(sources.filter(({ text }) => text.split("\n").length > 301).map(({ file }) => file)).toEqual([]);
  });

  it("has named exports: no export *, and default exports only where Next requires them", () => {
    const defaults =
      /^(proxy|app\/.*\/?(page|layout|not-found|error|loading|global-error|icon|opengraph-image))\.tsx?$/;
    const wrong = sources.filter(
      ({ file, text }) => /^export \*/m.test(text) || (/^export default/m.test(text) && !defaults.test(file)),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it("has no markers of unfinished work", () => {
    const marks = new RegExp(["TO", "DO|FIX", "ME|@ts-", "ignore|@ts-", "nocheck"].join(""));
    expect(sources.filter(({ text }) => marks.test(text)).map(({ file }) => file)).toEqual([]);
  });
});
