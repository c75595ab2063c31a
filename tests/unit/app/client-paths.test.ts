import { expect, it } from "vitest";
import { clientPaths, declaredPath, versionlessPaths } from "#app/client-paths";

it.each([
  ["/v1/v1/messages", "/v1/messages"],
  ["/openai/deployments/gpt/embeddings", "/v1/embeddings"],
  ["/openai/v1/models", "/v1/models"],
  ["/v1/models/cassette:legal/x", "/v1/models/cassette:legal%2Fx"],
  ["/v1/models/cassette:legal%2Fx", "/v1/models/cassette:legal%2Fx"],
  ["/v1/models/gemini:countTokens", "/v1beta/models/gemini:countTokens"],
  ["/v1/models/cassette:legal/x:batchEmbedContents", "/v1beta/models/cassette:legal%2Fx:batchEmbedContents"],
  ["/v1beta1/projects/p/locations/l/publishers/google/models/g:embedContent", "/v1beta/models/g:embedContent"],
  ["/v1beta1/publishers/cassette:legal/models/x:generateContent", "/v1beta/models/cassette:legal%2Fx:generateContent"],
  ["/v1/publishers/google/models/g:generateContent", "/v1beta/models/g:generateContent"],
  [
    "/v1beta1/projects/p/locations/l/publishers/anthropic/models/c:rawPredict",
    "/v1/projects/p/locations/l/publishers/anthropic/models/c:rawPredict",
  ],
])("%s is answered as %s", (path, declared) => {
  expect(declaredPath(path)).toBe(declared);
});

it.each(["/api/v1/models", "/api/v1/replay/legal/messages", "/api/tags", "/v1/models", "/model/m/converse"])(
  "%s is declared as it is",
  (path) => {
    expect(declaredPath(path)).toBe(path);
  },
);

it("knows the paths of clients, and those that lack the version", () => {
  const versionless = ["/models", "/models/x", "/messages/count_tokens", "/chat/completions/"];
  const others = [
    "/openai/v1/models",
    "/openai/v1/audio/speech",
    "/model/a%3A0/invoke",
    "/v1beta1/publishers/google/models/g:countTokens",
  ];
  for (const path of [...versionless, ...others]) expect([path, clientPaths.test(path)]).toEqual([path, true]);
  for (const path of versionless) expect([path, versionlessPaths.test(path)]).toEqual([path, true]);
  for (const path of [...others, "/docs/models", "/model", "/replay/shop/models"])
    expect([path, versionlessPaths.test(path)]).toEqual([path, false]);
  expect(clientPaths.test("/replay/shop/models")).toBe(false);
});
