import { expect, test } from "vitest";
import { addressOf, originOf } from "#lib/replay/recording-proxy/call";

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

test("a path that begins with two slashes is asked at the configured address, not at the host of its first part", () => {
  const baseUrl = "https://api.example.com/";
  const upstream = { name: "api.example.com", baseUrl, address: "http://127.0.0.1:4813", providers: [] };
  const { url, host } = addressOf({ upstream, path: "//ws/service", query: "key=1" });
  expect([url.href, host]).toEqual(["http://127.0.0.1:4813//ws/service?key=1", "api.example.com"]);
});
