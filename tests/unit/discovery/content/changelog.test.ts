import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => vi.restoreAllMocks());

it("a changelog that could not be read is read again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "changelog-"));
  try {
    vi.resetModules();
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    const { loadChangelog } = await import("#lib/discovery/content/changelog");
    await expect(loadChangelog()).rejects.toThrow("ENOENT");
    await writeFile(join(folder, "CHANGELOG.md"), "# Changelog\n\n## 1.0.0\n\n- First.\n");
    expect(await loadChangelog()).toEqual({ markdown: "## 1.0.0\n\n- First." });
    await rm(join(folder, "CHANGELOG.md"));
    expect(await loadChangelog()).toEqual({ markdown: "## 1.0.0\n\n- First." });
  } finally {
    await rm(folder, { recursive: true });
  }
});
