import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "#tests/support/temporary-folder";

it("a changelog that could not be read is read again, and once it was read, it is kept", async () => {
  const folder = temporaryFolder();
  const cwd = vi.spyOn(process, "cwd").mockReturnValue(folder);
  // A copy of the module, because the path is read once.
  const module = new URL("../../../../lib/discovery/content/changelog.ts?copy", import.meta.url).href;
  const { loadChangelog } = (await import(module)) as typeof import("#lib/discovery/content/changelog");
  cwd.mockRestore();
  await expect(loadChangelog()).rejects.toThrow("ENOENT");
  await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## 1.0.0\n\n- First.\n");
  expect(await loadChangelog()).toEqual({ markdown: "## 1.0.0\n\n- First." });
  await rm(join(folder, "CHANGELOG.md"));
  expect(await loadChangelog()).toEqual({ markdown: "## 1.0.0\n\n- First." });
});
