import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { defaultWorkerLimits, runInWorker } from "#lib/platform/run-worker";
import { temporaryFolder } from "#tests/support/temporary-folder";

const projectFolder = resolve(import.meta.dirname, "../../..");
const urlOf = (...names: string[]) => pathToFileURL(join(...names)).href;

it("an entry without a bundle is run as TypeScript, also in a checkout below another folder named lib", async () => {
  const checkout = join(temporaryFolder(), "lib/checkout");
  await mkdir(join(checkout, "lib"), { recursive: true });
  await symlink(join(projectFolder, "node_modules"), join(checkout, "node_modules"));
  await writeFile(join(checkout, "package.json"), '{ "type": "module" }');
  const worker = urlOf(projectFolder, "lib/tracking/operations/openapi-worker.ts");
  await writeFile(join(checkout, "lib/unbundled-worker.ts"), `import ${JSON.stringify(worker)};`);
  const entry = { name: "unbundled-worker", moduleUrl: urlOf(checkout, "lib/module.ts") };
  expect(await runInWorker(entry, { text: "{}" }, defaultWorkerLimits)).toEqual({ error: expect.any(String) });
});
