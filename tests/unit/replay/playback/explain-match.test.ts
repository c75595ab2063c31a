import { describe, expect, it } from "vitest";
import { explainMatch } from "#lib/replay/playback/explain-match";
import { getCassetteTool, type ReplayToolContext } from "#lib/replay/playback/index";
import { callTool, refusalOf } from "#tests/support/call-tool";
import { catalogueOf, type SampleDraft } from "#tests/support/sample-cassette";

const id = "legal/nda";

function contextOf(drafts: readonly SampleDraft[]): ReplayToolContext {
  const catalogue = catalogueOf(drafts);
  const nearestCassettes = async () => (await catalogue.list()).map((summary) => ({ summary, similarity: 0.5 }));
  return { catalogue, nearestCassettes, origin: "http://tapes.example", site: { vertical: "legal" } };
}

const requestOf = (content: string, model = "claude-test-1", headers = {}) => ({
  path: "/v1/messages",
  headers,
  body: { model, max_tokens: 100, messages: [{ role: "user", content }] },
});

describe.each([
  ["recorded", "/messages/0/content differs"],
  ["authored", '/messages/0/content was "Review it." and is now "Read it."'],
] as const)("a request, beside a %s cassette", (kind, difference) => {
  const context = contextOf([{ id, prompt: "Review it.", kind }]);

  it("gets the recording of exactly this request, by name or not", async () => {
    const nearest = [{ id, title: expect.any(String), difference_count: 0, differences: [] }];
    expect(await explainMatch(context, requestOf("Review it."))).toEqual({
      cassette: id,
      match: "exact",
      error: null,
      nearest,
    });
    const named = await explainMatch(context, requestOf("Read it.", `cassette:${id}`));
    expect([named.cassette, named.match, named.nearest[0]?.differences]).toEqual([id, "name", [difference]]);
    const byHeader = await explainMatch(context, requestOf("Read it.", "m", { "X-Replay-Cassette": id }));
    expect(byHeader.match).toBe("name");
  });

  it("without a recording gets what its client gets, and the nearest one with its differences", async () => {
    const answer = await explainMatch(context, requestOf("Read it."));
    expect(answer).toMatchObject({
      cassette: null,
      match: null,
      error: { status: 404, message: expect.stringMatching(/^No recording fits.*POST \/api\/v1\/match says/) },
    });
    expect(answer.nearest).toEqual([expect.objectContaining({ id, difference_count: 1, differences: [difference] })]);
  });

  it("is a tool's argument, whose error has the differences too", async () => {
    expect(await callTool(getCassetteTool, context, { request: requestOf("Review it.") })).toMatchObject({
      id,
      match: "exact",
    });
    const { message } = await refusalOf(callTool(getCassetteTool, context, { request: requestOf("Read it.") }));
    expect(message).toContain(`\n${id}: ${difference}`);
  });
});

it("a request that differs from a recording by its model alone is told the model", async () => {
  const { cassette, nearest } = await explainMatch(
    contextOf([{ id, prompt: "Review it." }]),
    requestOf("Review it.", "m-2"),
  );
  const differences = ['model was "claude-test-1" and is now "m-2"'];
  expect([cassette, nearest]).toEqual([null, [expect.objectContaining({ difference_count: 1, differences })]]);
});

it("a name that no header can have gets the error that names it", async () => {
  const answer = await explainMatch(contextOf([{ id }]), requestOf("Hm?", "m", { "X-Replay-Cassette": "legal/ä\n" }));
  expect(answer).toMatchObject({ cassette: null, error: { status: 404, message: expect.stringContaining("legal/ä") } });
});

it("a cassette of another kind than the path is for is refused, as its client would be", async () => {
  const request = { ...requestOf("Review it.", `cassette:${id}`), path: "/v1/messages/count_tokens" };
  const answer = await explainMatch(contextOf([{ id }]), request);
  expect(answer).toMatchObject({
    cassette: null,
    error: { message: expect.stringContaining("This path is for a token count") },
  });
});

it.each([
  ["/v1/messages", "max_tokens"],
  ["/openai/deployments/d/chat/completions", "messages"],
  ["/v1beta/models/m:generateContent", "contents"],
])("a body that %s refuses gets its error, which names %s", async (path, field) => {
  const answer = await explainMatch(contextOf([{ id }]), { path, headers: {}, body: { model: `cassette:${id}` } });
  expect(answer).toMatchObject({ cassette: null, error: { status: 400, message: expect.stringContaining(field) } });
});

it("a request to Amazon Bedrock is explained, and one to an unknown path is refused", async () => {
  const context = contextOf([]);
  const ask = (path: string) => explainMatch(context, { path, headers: {}, body: {} });
  expect((await ask("/model/m/converse")).error).toMatchObject({ status: 404 });
  const named = contextOf([{ id, prompt: "Review it." }]);
  for (const path of ["/model/cassette%3Alegal%2Fnda/converse", "/model/cassette:legal/nda/converse"]) {
    const { error } = await explainMatch(named, { path, headers: {}, body: {} });
    expect(error).toEqual({
      status: 404,
      message: expect.stringMatching(
        /^model: legal\/nda is a recording of .*, which this path is not for\. No cassette here answers it\./,
      ),
    });
  }
  await expect(ask("/v2/nothing?a=1")).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining("/v2/nothing is no path of a protocol"),
  });
});
