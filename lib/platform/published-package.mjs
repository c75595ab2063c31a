import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");
const { version, license, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Lines in which licenses of one kind differ. */
const copyrightLine = /^[ \t]*(?:copyright\b.*|all rights reserved\.?|(?:the )?mit license(?: \(mit\))?)[ \t]*$/gim;

/** Returns the licenses of other packages whose code is in one of ours. `folders` are theirs, such as `node_modules/zod`. */
export function licensesOf(folders) {
  const sections = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version, license = "" } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? license : readFileSync(join(root, folder, file), "utf8").trim();
    const terms = text.replaceAll(copyrightLine, "").replaceAll(/\s+/g, " ").trim();
    const section = sections.get(terms) ?? { packages: [], notices: new Set(), text };
    for (const line of text.match(copyrightLine) ?? []) section.notices.add(line.trim());
    section.packages.push(`${name} ${version}`);
    sections.set(terms, section);
  }
  const written = [...sections.values()].map(({ packages, notices, text }) => {
    const shared = text
      .replaceAll(copyrightLine, "")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim();
    const whole = packages.length === 1 ? text : `${[...notices].join("\n\n")}\n\n${shared}`;
    return `## ${packages.join(", ")}\n\n${whole}\n`;
  });
  return `# Licenses of other packages\n\n${written.join("\n")}`;
}

/**
 * Completes the folder of a package that is published: writes its package.json, copies the license, and packs it.
 *
 * @param {string} folder of the package; `out` gets the tarball
 * @param {{ out: string, repository: string | undefined, fields: Record<string, unknown> }} options `repository` is the URL of
 * the one whose workflow publishes, which npm asks for with the package's provenance; `fields` are those of this package alone
 * @returns {{ filename: string, size: number, unpackedSize: number }} sizes in bytes
 */
export function pack(folder, { out, repository: url, fields }) {
  const { name, description, ...rest } = fields;
  const repository = url && { repository: { type: "git", url } };
  const shared = { version, license, engines, ...repository, publishConfig: { access: "public", provenance: true } };
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name, description, ...shared, ...rest }, null, 2)}\n`,
  );
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  const args = ["pack", "--json", "--pack-destination", out];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: folder, encoding: "utf8" }));
  process.stdout.write(`${join(out, packed.filename)}: ${packed.size} bytes, ${packed.unpackedSize} unpacked\n`);
  return packed;
}
