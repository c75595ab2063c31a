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

/** Import specifiers of a file, those in its own package as paths from the root. */
function importsOf(file: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier]) => specifier as string,
  );
  return specifiers.map((specifier) => {
    if (specifier.startsWith(".")) return relative(root, resolve(root, dirname(file), specifier)).replaceAll("\\", "/");
    return specifier.startsWith("#lib/") ? specifier.replace("#lib/", "lib/") : specifier;
  });
}

const sources: Source[] = [...filesBelow("lib"), ...filesBelow("app")].map((file) => {
  const text = readFileSync(join(root, file), "utf8");
  return { file, text, imports: importsOf(file, text) };
});
const lib = sources.filter(({ file }) => file.startsWith("lib/"));

const adapters = ["http", "mcp", "cli", "openapi"];
/** Leaves of the adapters that hold declarations only; a domain's endpoints and tools are written with them. */
const declarationLeaves = ["lib/server/http/endpoint", "lib/server/mcp/tool"];
const domainOf = (path: string) => /^lib\/([^/]+)\//.exec(path)?.[1];
const isDomain = (name: string | undefined) => name !== undefined && name !== "platform" && !adapters.includes(name);

function offenders(select: (source: Source, imported: string) => boolean, from = sources): string[] {
  return from.flatMap((source) =>
    source.imports
      .filter((imported) => select(source, imported))
      .map((imported) => `${source.file} imports ${imported}`),
  );
}

describe("the house", () => {
  it("has sources to check", () => expect(sources.length).toBeGreaterThan(80));

  it("lets nothing in lib import app", () => {
    expect(offenders((_, imported) => imported.startsWith("app/"), lib)).toEqual([]);
  });

  it("lets platform import nothing above itself", () => {
    const platform = lib.filter(({ file }) => domainOf(file) === "platform");
    expect(
      offenders((_, imported) => imported.startsWith("lib/") && domainOf(imported) !== "platform", platform),
    ).toEqual([]);
  });

  it("lets a domain import an adapter for declarations alone", () => {
    const domains = lib.filter(({ file }) => isDomain(domainOf(file)));
    const wrong = offenders((source, imported) => {
      if (!adapters.includes(domainOf(imported) ?? "")) return false;
      return !(declarationLeaves.includes(imported) && /\/(endpoints|tools)\.ts$/.test(source.file));
    }, domains);
    expect(wrong).toEqual([]);
  });

  it("lets a domain be imported through its index alone, but by the command line, which loads a room at a time", () => {
    const wrong = offenders((source, imported) => {
      const target = domainOf(imported);
      if (!isDomain(target) || domainOf(source.file) === target || domainOf(source.file) === "cli") return false;
      return imported !== `lib/${target}/index`;
    });
    expect(wrong).toEqual([]);
  });

  it("has no circles between domains", () => {
    const edges = new Map<string, Set<string>>();
    for (const { file, imports } of lib) {
      const from = domainOf(file);
      if (!isDomain(from)) continue;
      for (const imported of imports) {
        const to = domainOf(imported);
        if (isDomain(to) && to !== from)
          edges.set(from as string, (edges.get(from as string) ?? new Set()).add(to as string));
      }
    }
    const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
      [...(edges.get(from) ?? [])].some(
        (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
      );
    expect([...edges.keys()].filter((domain) => reaches(domain, domain))).toEqual([]);
  });

  it("lets only store files touch Prisma and Blob", () => {
    const drivers = ["@vercel/blob", "lib/platform/database/index", "@prisma/client", "pg"];
    const allowed =
      /^lib\/(platform\/database\/|(?:[^/]+\/)+store\.ts|cassettes\/stores\/|health\/get-health\.ts|cli\/)/;
    const typeOnly = (source: Source, imported: string) =>
      imported === "lib/platform/database/index" &&
      /import type \{[^}]*\} from "#lib\/platform\/database\/index"/.test(source.text);
    const wrong = offenders(
      (source, imported) => drivers.includes(imported) && !allowed.test(source.file) && !typeOnly(source, imported),
    );
    expect(wrong).toEqual([]);
  });

  it("reads the environment in the configuration alone", () => {
    const readers = sources.filter(({ text }) => /process\.env\b/.test(text)).map(({ file }) => file);
    expect(readers.filter((file) => !/^lib\/(platform\/config\.ts|cli\/bootstrap)/.test(file))).toEqual([]);
  });

  it("keeps files small enough to find one's way in", () => {
    const long = sources.filter(({ text }) => text.split("\n").length > 300).map(({ file }) => file);
    expect(long).toEqual([]);
  });

  it("names what is public: no export *, no default export outside of what Next asks for", () => {
    const wrong = sources.filter(
      ({ file, text }) =>
        /^export \*/m.test(text) ||
        (/^export default/m.test(text) &&
          !/^app\/.*\/?(page|layout|not-found|error|loading|global-error|icon|opengraph-image)\.tsx?$/.test(file)),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  it("leaves nothing for later", () => {
    const marks = new RegExp(["TO", "DO|FIX", "ME|@ts-", "ignore|@ts-", "nocheck"].join(""));
    expect(sources.filter(({ text }) => marks.test(text)).map(({ file }) => file)).toEqual([]);
  });
});
