import { describe, expect, it } from "vitest";
import { chooseCassette } from "#lib/replay/playback/replay-message";
import type { MessagesBody } from "#lib/replay/playback/schemas";

type Choice = { model?: string; header?: string; nearest?: string };

/** Returns the chosen id, and the prompts for which the nearest cassette was looked up. */
async function choose({ model = "any", header, nearest }: Choice): Promise<{ id: string; prompts: string[] }> {
  const prompts: string[] = [];
  const nearestCassette = async (prompt: string) => {
    prompts.push(prompt);
    return nearest;
  };
  const body = { model, max_tokens: 1, messages: [{ role: "user", content: "Well?" }] } as MessagesBody;
  return { id: await chooseCassette({ nearestCassette }, { body, cassetteHeader: header ?? null }), prompts };
}

describe("the cassette of a Messages request", () => {
  it("is the one named by the model, else by the header, without a search", async () => {
    const named = await choose({ model: "cassette:finance/bond", header: "legal/nda", nearest: "legal/lease" });
    expect(named).toEqual({ id: "finance/bond", prompts: [] });
    expect(await choose({ header: "legal/nda", nearest: "legal/lease" })).toEqual({ id: "legal/nda", prompts: [] });
  });

  it("is otherwise the one with the nearest prompt", async () => {
    expect(await choose({ nearest: "legal/lease" })).toEqual({ id: "legal/lease", prompts: ["Well?"] });
  });

  it("a malformed id, and a site without cassettes, are errors that say what to do", async () => {
    await expect(choose({ header: "../etc" })).rejects.toMatchObject({ code: "not_found" });
    await expect(choose({ model: "cassette:legal" })).rejects.toThrow("<vertical>/<slug>");
    await expect(choose({})).rejects.toThrow("Name one of another site");
  });
});
