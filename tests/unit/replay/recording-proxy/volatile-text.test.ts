import { expect, it } from "vitest";
import { replaceVolatileText } from "#lib/replay/recording-proxy/volatile-text";

it("the checksum that the Claude Agent SDK makes up is not compared, and the same text elsewhere is", () => {
  const header = (checksum: string, version: string) =>
    `x-anthropic-billing-header: cc_version=${version}; cc_entrypoint=sdk-ts; cch=${checksum}; cc_turn_origin=sdk;`;
  const replaced = (text: string) => replaceVolatileText(text, []);
  expect(replaced(header("a7d25", "2.1"))).toBe(replaced(header("00f1e", "2.1")));
  expect(replaced(header("a7d25", "2.1"))).not.toBe(replaced(header("a7d25", "2.2")));
  expect(replaced("Is cch=a7d25; right?")).toBe("Is cch=a7d25; right?");
});
