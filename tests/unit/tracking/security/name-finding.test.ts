import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { nameFinding } from "#lib/tracking/security/index";

const folder = resolve(import.meta.dirname, "../../../../lib/tracking/security");
const source = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(join(folder, file), "utf8"))
  .join("\n");
const detectors = [...source.matchAll(/(?:detector: |rule\()"([a-z0-9-]+)"/g)].map(([, name]) => name as string);

test("every detector has its own label", () => {
  const names = new Set([...detectors, "image-template", "image-query"]);
  expect(names.size).toBeGreaterThan(20);
  for (const name of names) expect([name, nameFinding(name) === name.replaceAll("-", " ")]).toEqual([name, false]);
  expect(new Set([...names].map(nameFinding)).size).toBe(names.size);
});

test("a removed detector is labelled by its name", () => expect(nameFinding("old-one")).toBe("old one"));
