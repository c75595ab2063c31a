import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataFolder } from "#lib/platform/database/paths";
import { generateSecret } from "#lib/tracking/webhooks/secrets";
import { retryWaitsMs } from "#lib/tracking/webhooks/sending/attempt-delivery";
import { signDelivery } from "#lib/tracking/webhooks/sending/post-delivery";

const page = readFileSync(resolve(import.meta.dirname, "../../../../content/docs/webhooks.md"), "utf8");
const blocksOf = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(([, block]) => block as string);
const vector = (name: string) =>
  new RegExp(`^\\| (?:\`${name}\`|${name}) \\| \`(.+)\` \\|$`, "m").exec(page)?.[1] as string;

const secret = vector("Secret");
const body = vector("Body");
const headers: Record<string, string> = Object.fromEntries(
  ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, vector(name)]),
);
const ltfSignature = vector("X-LTF-Signature");

let folder: string;
beforeAll(() => {
  // Inside the project, so that the snippets find its packages.
  mkdirSync(dataFolder(), { recursive: true });
  folder = mkdtempSync(join(dataFolder(), "docs-snippets-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the page on webhooks", () => {
  it("has a test vector that matches deliveries", () => {
    const at = new Date(Number(headers["webhook-timestamp"]) * 1_000);
    const signed = signDelivery([secret], { id: String(headers["webhook-id"]), body, at });
    expect(signed).toEqual({ ...headers, "x-ltf-signature": ltfSignature });
  });

  it("lists the waits of the schedule", () => {
    const units: Record<string, number> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 };
    const waits = [...page.matchAll(/^\| \d+ \| (\d+) (\w+) \|$/gm)].map(
      ([, count, unit]) => Number(count) * (units[unit as string] as number),
    );
    expect(waits).toEqual(retryWaitsMs);
  });

  it("verifies in TypeScript with node:crypto: the vector passes, a changed one does not", async () => {
    const file = join(folder, "plain.ts");
    writeFileSync(file, blocksOf("ts")[0] as string);
    const { isGenuine } = await import(file);
    const bytes = Buffer.from(body, "utf8");
    expect(isGenuine(bytes, ltfSignature, secret)).toBe(true);
    const wrong: [Buffer, string | undefined, string][] = [
      [Buffer.from(`${body} `), ltfSignature, secret],
      [bytes, ltfSignature.replace(/.$/, "0"), secret],
      [bytes, ltfSignature, generateSecret()],
      [bytes, "sha256=", secret],
      [bytes, undefined, secret],
    ];
    for (const [given, signature, key] of wrong) expect(isGenuine(given, signature, key)).toBe(false);
  });

  it("verifies in TypeScript with standardwebhooks: a new delivery passes, the old vector and a changed one do not", async () => {
    const file = join(folder, "standard.ts");
    writeFileSync(file, blocksOf("ts")[1] as string);
    const { readDelivery } = await import(file);
    const fresh = signDelivery([secret], { id: "an-id", body, at: new Date() });
    expect(readDelivery(body, fresh, secret)).toEqual(JSON.parse(body));
    expect(() => readDelivery(`${body} `, fresh, secret)).toThrow("No matching signature");
    const late = signDelivery([secret], { id: "an-id", body, at: new Date(Date.now() - 301_000) });
    expect(() => readDelivery(body, late, secret)).toThrow("too old");
  });

  it("verifies in Python by both signatures, also while a secret is rotated", () => {
    const snippet = join(folder, "verify.py");
    const [newSecret, at] = [generateSecret(), new Date(Number(headers["webhook-timestamp"]) * 1_000)];
    const rotated = signDelivery([newSecret, secret], { id: String(headers["webhook-id"]), body, at });
    const cases = JSON.stringify({ body, ltfSignature, headers, secret, newSecret, rotated });
    const checks = `
import json, sys
given = json.loads(sys.stdin.buffer.read().decode("utf-8"))
body = given["body"].encode("utf-8")
secret, headers = given["secret"], given["headers"]
now = int(headers["webhook-timestamp"])
print(json.dumps([
    is_genuine(body, given["ltfSignature"], secret),
    is_genuine(body + b" ", given["ltfSignature"], secret),
    is_genuine(body, given["ltfSignature"], given["newSecret"]),
    is_genuine(body, "sha256=\\u00e9", secret),
    is_genuine_and_new(body, headers, secret, now + 300),
    is_genuine_and_new(body, headers, secret, now + 301),
    is_genuine_and_new(body, headers, secret),
    is_genuine_and_new(body + b" ", headers, secret, now),
    is_genuine_and_new(body, {**headers, "webhook-id": "other"}, secret, now),
    is_genuine_and_new(body, given["rotated"], secret, now),
    is_genuine_and_new(body, given["rotated"], given["newSecret"], now),
]))
`;
    writeFileSync(snippet, `${blocksOf("python")[0]}\n${checks}`);
    const output = execFileSync("python3", [snippet], { input: cases, encoding: "utf8" });
    // The vector has a fixed time, so the current time must be replaced.
    const isNow = Math.abs(Date.now() - at.getTime()) <= 300_000;
    expect(JSON.parse(output)).toEqual([true, false, false, false, true, false, isNow, false, false, true, true]);
  });
});
