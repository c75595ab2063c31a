import { expect, test } from "vitest";
import { getOpenApiDocument } from "#app/endpoints";

const text = getOpenApiDocument({ origin: "http://127.0.0.1:3000" });
const { paths } = JSON.parse(text);

test("an error's example is one reason, and its description has all", () => {
  const { description, content } = paths["/api/v1/vendors/{slug}/content"].get.responses[401];
  const { error } = content["application/json"].example;
  expect(error).toBe("A key is missing, or the key is malformed, unknown, expired, revoked or rotated.");
  expect(description).toBe(`${error} The key's tier is lower than starter.`);
});

test("lists that recognize a key declare that they refuse an invalid one", () => {
  expect(Object.keys(paths["/api/v1/stats"].get.responses)).toEqual(expect.arrayContaining(["401", "429"]));
  expect(paths["/api/v1/fleet"].get.responses).not.toHaveProperty("401");
});

test("a cassette's body is declared as a stream, and the body of /payment/reveal with its field", () => {
  const download = paths["/api/v1/cassettes/{vertical}/{cookbook}"].get.responses[200];
  expect(Object.keys(download.content)).toEqual(["application/json", "text/event-stream"]);
  const { schema } = paths["/api/v1/payment/reveal"].post.requestBody.content["application/json"];
  expect(schema.required).toEqual(["session_id"]);
});

test("patterns have no Unicode properties, which few regex engines know", () => {
  expect(text).not.toMatch(/\\\\p\{/i);
});
