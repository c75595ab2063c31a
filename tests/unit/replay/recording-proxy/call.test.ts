import { expect, test } from "vitest";
import { originOf } from "#lib/replay/recording-proxy/call";

test.each([
  ["https://api.openai.com/v1/", "https://api.openai.com/v1"],
  ["https://user:pw@gateway.example:8443/team-a/openai/v1", "https://gateway.example:8443/team-a/openai/v1"],
  ["https://api.anthropic.com", "https://api.anthropic.com"],
  ["127.0.0.1:11434", "http://127.0.0.1:11434"],
])("a recording from %s names its path, and no credentials", (baseUrl, named) => {
  const upstream = { name: "openai", baseUrl, providers: [] };
  const { source } = originOf({ upstream, path: "/v1/responses", query: "", body: new Uint8Array() });
  expect(source).toEqual({ base_url: named });
});
