import { expect, it } from "vitest";
import { replaceInResponse } from "#lib/replay/cassettes/index";

/** Cuts a body into chunks of a size, in bytes, each after as many milliseconds as its number. */
function chunksOf(body: string, size: number) {
  const bytes = Buffer.from(body);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => ({
    deltaMs: index,
    bytes: bytes.subarray(index * size, (index + 1) * size),
  }));
}

const replace = (body: string, size = 1_000) =>
  replaceInResponse(chunksOf(body, size), (text) =>
    [...text.matchAll(/\/old\b/g)].map(({ index }) => ({ start: index, end: index + 4, text: '/né "w"' })),
  );
const textOf = (chunks: readonly { bytes: Uint8Array }[]) => Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
const delta = (text: string, index = 0) => event({ index, delta: { type: "input_json_delta", partial_json: text } });

it.each([1, 3, 1_000])("in JSON, parts of texts are replaced wherever reads of %i bytes divide it", (size) => {
  const body = JSON.stringify({ "/old": ["☔ /old/a", { n: 1, text: "older /older /old" }] });
  const chunks = replace(body, size);
  expect(JSON.parse(textOf(chunks))).toEqual({ '/né "w"': ['☔ /né "w"/a', { n: 1, text: 'older /older /né "w"' }] });
  expect(chunks.map(({ deltaMs }) => deltaMs)).toEqual(chunksOf(body, size).map(({ deltaMs }) => deltaMs));
});

it("a part that is divided between events is put into the first, among those of other blocks", () => {
  const body = [delta("see /o"), delta("ld", 1), delta("ld/a and /ol"), delta("/old", 1), delta("der")].join("");
  expect(textOf(replace(body))).toBe(
    [delta('see /né "w"'), delta("ld", 1), delta("/a and /ol"), delta('/né "w"', 1), delta("der")].join(""),
  );
});

it("texts that events repeat as a whole do not continue one another", () => {
  const done = (type: string, text: string) => event({ type: `response.${type}`, output_index: 0, text });
  const body =
    done("output_text.done", "at/old") +
    done("content_part.done", "/old") +
    event({ text: "a", more: [{ text: "/old" }] });
  expect(textOf(replace(body)).match(/n\u00e9/g)).toHaveLength(3);
});

it.each(["plain /old", "\u0000\u0001/old", '{"text": "/older"}'])("%j stays as it is", (body) => {
  const chunks = chunksOf(body, 5);
  expect(
    replaceInResponse(chunks, (text) =>
      [...text.matchAll(/\/old\b/g)].map(({ index }) => ({ start: index, end: index + 4, text: "" })),
    ),
  ).toBe(chunks);
});
