import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { editableText, parseCassette, readEditable } from "#lib/replay/cassettes/index";
import { withPage } from "#tests/support/browser";
import { bundledFolder } from "#tests/support/bundled-cassettes";
import { idOf } from "#tests/support/seal-conversation";
import { sendRaw } from "#tests/support/send-raw";
import { type ServedFolder, serveFiles } from "#tests/support/serve-files";

const id = idOf("explain-sse");
const read = (folder: string) => readFileSync(join(folder, `${id}.json`));

describe("the page of a cassette on one's own machine", () => {
  let served: ServedFolder;
  beforeAll(async () => {
    served = await serveFiles("node", new Map([[id, read(bundledFolder)]]));
  });
  afterAll(async () => {
    await served.stop();
  });

  const open = async (page: Page, origin = served.origin) => {
    await page.goto(`${origin}/replay/${id}?autoplay=0`);
    return page.getByRole("textbox", { name: /Texts, tool inputs/ });
  };
  const save = (page: Page) => page.getByRole("button", { name: "Save the answer" }).click();

  it.each([true, false])(
    "saves an edited answer (JavaScript: %s), and refuses what is none",
    async (javaScriptEnabled) => {
      await withPage({ javaScriptEnabled }, async (page) => {
        const box = await open(page);
        const text = await box.inputValue();
        await box.fill(text.replace(/^answer:/m, "answers:"));
        await save(page);
        await page.getByText(/What was edited is not valid/).waitFor();
        expect(await box.inputValue()).toContain("answers:");
        const word = `Lisbon${javaScriptEnabled}`;
        await box.fill(text.replace(/text: \|-?\n\s*/, `$&${word} `));
        await save(page);
        const stored = () => parseCassette(read(served.folder));
        await expect.poll(() => editableText(readEditable(stored()))).toContain(word);
        expect(stored().cassette.provenance.edited).toMatch(/^\d{4}-/);
        await expect.poll(async () => (await open(page)).inputValue()).toContain(word);
      });
    },
  );

  it("does not overwrite what somebody else changed meanwhile", async () => {
    await withPage({}, async (page) => {
      const box = await open(page);
      await box.fill(`${await box.inputValue()}# more`);
      const file = join(served.folder, `${id}.json`);
      writeFileSync(file, read(bundledFolder));
      const reopened = async () => (await fetch(`${served.origin}/replay/${id}`)).text();
      await expect.poll(reopened).not.toContain("Lisbon");
      await save(page);
      await page.getByText("The recording was changed meanwhile").waitFor();
      expect(readFileSync(file).equals(read(bundledFolder))).toBe(true);
    });
  });

  it("is only shown there", async () => {
    const html = await sendRaw(
      served.origin,
      `GET /replay/${id} HTTP/1.1\r\nHost: tapes.example\r\nConnection: close\r\n\r\n`,
    );
    expect([html.includes("Timing"), html.includes("Edit the answer")]).toEqual([true, false]);
  });
});
