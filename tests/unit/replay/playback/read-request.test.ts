import { describe, expect, it } from "vitest";
import { AppError } from "#lib/platform/errors";
import { minWorkerLength } from "#lib/platform/run-worker";
import { digestRequest, readRequest } from "#lib/replay/playback/read-request";
import { anthropic } from "#lib/replay/providers/index";

const path = "/v1/messages";
const bodyOf = (content: string) => ({ model: "m-1", max_tokens: 9, messages: [{ role: "user", content }] });
const long = (text: string) => `${text} `.repeat(minWorkerLength / text.length);

function read(text: string, endpointId = "createMessage") {
  const bytes = Buffer.from(text);
  const source = { endpointId, provider: "anthropic", path, query: "", bytes, contentType: null };
  return readRequest(source, async () => true);
}

describe("a large request", () => {
  it("is read in a thread, while this one goes on, with the same result", async () => {
    const body = bodyOf(long("What does the key sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa open?"));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const { redactedHash, lineage, ...request } = await read(JSON.stringify(body)).finally(() => clearInterval(timer));
    const inline = digestRequest(anthropic, { method: "POST", path, query: "", body });
    expect({ ...request, lineage: lineage(), redactedHash: redactedHash() }).toEqual({
      ...inline,
      lineage: inline.lineage(),
      redactedHash: inline.redactedHash(),
    });
    expect(redactedHash()).not.toBe(request.key.hash);
    // Reading it in this thread would leave no turn of the event loop to the timer.
    expect(turns).toBeGreaterThan(1);
  });

  it("is refused like a small one if it is no request", async () => {
    const error = await read(JSON.stringify({ ...bodyOf(long("a")), max_tokens: 0 })).catch((caught) => caught);
    expect(error).toBeInstanceOf(AppError);
    expect([error.code, error.message]).toEqual([
      "bad_request",
      expect.stringMatching(/"max_tokens": must be at least 1/),
    ]);
  });
});

it.each([
  ["createMessage", "", 'The body is empty. Send a JSON object with "model", "max_tokens", "messages".'],
  ["createResponse", "", "The body is empty. Send a JSON object."],
  ["createEmbedding", '{"model": "m"}', '"input": must be a string, or a non-empty array of strings or tokens'],
  [
    "createEmbedding",
    '{"model": "m", "input": 7}',
    '"input": must be a string, or a non-empty array of strings or tokens',
  ],
  ["createResponse", '{"input": 7}', '"input": must be a text or an array of items, not empty'],
  [
    "createChatCompletion",
    '{"model": "m", "messages": [{"role": "user", "content": 7}]}',
    '"messages.0.content": must be a string or an array of content parts',
  ],
])("the error of a body says what %s takes: %s", async (endpointId, text, message) => {
  await expect(read(text, endpointId)).rejects.toThrow(message);
});
