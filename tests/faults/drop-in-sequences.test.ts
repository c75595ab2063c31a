import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, errorIn, idOf, send, serveCassettes, testedAdapters } from "#tests/support/conversation-cassettes";
import { type ProtocolName, protocolNames, protocols, question } from "#tests/support/conversation-protocols";
import { eventually } from "#tests/support/eventually";
import type { ServedFolder } from "#tests/support/seal-conversation";

const names = protocolNames.filter((name) => name !== "chained");
const sequences = Object.fromEntries(names.map((name) => [name, ["overloaded", "429", idOf(`${name}-1`)]]));

describe.each(testedAdapters)("a sequence file on the %s adapter", (adapter) => {
  let served: ServedFolder;
  let testCount = 0;

  const put = (text: string) => writeFileSync(join(served.folder, "sequences.json"), text);
  const ask = (name: ProtocolName, sequence: string, test = `test ${++testCount}`) =>
    send(
      served.origin,
      name,
      { ...protocols[name].requestOf(question), stream: true },
      { headers: { "x-replay-test": test, "x-replay-sequence": sequence } },
    );
  const errorOf = async (name: ProtocolName, sequence: string, test?: string): Promise<[number, string]> => {
    const response = await ask(name, sequence, test);
    const { status } = response;
    return [status, response.ok ? "" : await errorIn(name, response, status)];
  };
  /** Waits until requests for a sequence get this status. */
  const untilStatus = (sequence: string, status: number) =>
    eventually(async () => expect((await ask("chat", sequence)).status).toBe(status));

  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  it("that the store does not have is a 404", async () => {
    expect(await errorOf("chat", "@chat")).toEqual([404, expect.stringContaining("no such file")]);
  });

  describe.each(names)("for %s", (name) => {
    beforeAll(async () => {
      put(JSON.stringify(sequences));
      await untilStatus("@chat", 503);
    });

    it("gives each test its items once, in order", async () => {
      const overloaded = name === "anthropic" ? 529 : 503;
      const test = `${name} in order`;
      expect((await errorOf(name, `@${name}`, test))[0]).toBe(overloaded);
      expect((await errorOf(name, `@${name}`, test))[0]).toBe(429);
      const played = await ask(name, `@${name}`, test);
      expect(played.headers.get("x-replay-cassette")).toBe(idOf(`${name}-1`));
      expect(Buffer.from(await played.arrayBuffer()).equals(bodyOf(`${name}-1`))).toBe(true);
      expect(await errorOf(name, `@${name}`, test)).toEqual([404, expect.stringContaining("3 items")]);
      expect((await errorOf(name, `@${name}`, `another ${test}`))[0]).toBe(overloaded);
    });

    it("answers 404 to an unknown name, and names three that it has", async () => {
      const known = `It has ${names.slice(0, 3).join(", ")} and ${names.length - 3} more.`;
      for (const unknown of ["none", "constructor", "", `${name},429`]) {
        expect(await errorOf(name, `@${unknown}`)).toEqual([
          404,
          `sequences.json has no sequence "${unknown}". ${known}`,
        ]);
      }
    });
  });

  it("is read again when it changes, and an error in it stops only requests that name a sequence", async () => {
    put('{"changed": ["418"]}');
    await untilStatus("@changed", 418);
    expect(await errorOf("chat", "@chat")).toEqual([404, expect.stringContaining("It has changed.")]);

    put('{"changed": ["418", "nonsense"]}');
    await untilStatus("@changed", 500);
    for (const name of names) {
      const broken = await ask(name, "@changed");
      expect(broken.headers.get("x-should-retry")).toBe("false");
      expect(await errorIn(name, broken, 500)).toMatch(/^sequences\.json .* changed\.1: must be .* cassettes verify/);
      expect((await ask(name, idOf(`${name}-1`))).status).toBe(200);
    }
    const models = await (await fetch(`${served.origin}/v1/models`)).text();
    expect(models).not.toContain("sequences");
    expect(served.output()).not.toContain("is ignored");

    put('{"changed": ["418"]}');
    await untilStatus("@changed", 418);
    rmSync(join(served.folder, "sequences.json"));
    await untilStatus("@changed", 404);
  });
});
