import { describe, expect, it } from "vitest";
import { type CassetteSummary, type Catalogue, MatchIndex, matchKeyOf } from "#lib/replay/cassettes/index";
import { recordedLineage } from "#lib/replay/cassettes/lineage";
import { chooseCassette } from "#lib/replay/playback/choose-cassette";
import { digestRequest } from "#lib/replay/playback/read-request";
import { anthropic, gemini, ollama, openaiChat, openaiResponses, type Provider } from "#lib/replay/providers/index";

type Json = Record<string, unknown>;
type Protocol = {
  provider: Provider;
  user: (text: string) => Json;
  /** An answer that calls a tool, as its provider sends it, and as clients repeat it in the next request. */
  called: (query: string) => { answer: Json; repeated: Json[] };
  result: (text: string) => Json;
};

const chatCall = (query: string) => ({
  role: "assistant",
  tool_calls: [{ id: `call_${query}`, type: "function", function: { name: "look", arguments: `{"q": "${query}"}` } }],
});

const protocols: Protocol[] = [
  {
    provider: anthropic,
    user: (text) => ({ role: "user", content: text }),
    called: (query) => {
      const content = [
        { type: "text", text: "One moment. " },
        { type: "tool_use", id: `toolu_${query}`, name: "look", input: { q: query } },
      ];
      return { answer: { content, stop_reason: "tool_use" }, repeated: [{ role: "assistant", content }] };
    },
    result: (content) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_7", content }] }),
  },
  {
    provider: openaiChat,
    user: (content) => ({ role: "user", content }),
    called: (query) => {
      const answer = { choices: [{ message: { ...chatCall(query), content: null }, finish_reason: "tool_calls" }] };
      return { answer, repeated: [chatCall(query)] };
    },
    result: (content) => ({ role: "tool", tool_call_id: "call_7", content }),
  },
  {
    provider: openaiResponses,
    user: (content) => ({ role: "user", content }),
    called: (query) => {
      const call = { type: "function_call", call_id: `call_${query}`, name: "look", arguments: `{"q":"${query}"}` };
      const message = { type: "message", role: "assistant", content: [{ type: "output_text", text: "One moment." }] };
      const answer = { id: "resp_1", status: "completed", output: [{ ...message, id: "msg_1" }, call] };
      return { answer, repeated: [{ role: "assistant", content: "One moment." }, call] };
    },
    result: (output) => ({ type: "function_call_output", call_id: "call_7", output }),
  },
  {
    provider: gemini,
    user: (text) => ({ role: "user", parts: [{ text }] }),
    called: (query) => {
      const content = { role: "model", parts: [{ functionCall: { name: "look", args: { q: query } } }] };
      return { answer: { candidates: [{ content, finishReason: "STOP" }] }, repeated: [content] };
    },
    result: (text) => ({ role: "user", parts: [{ functionResponse: { name: "look", response: { text } } }] }),
  },
  {
    provider: ollama,
    user: (content) => ({ role: "user", content }),
    called: (query) => {
      const message = {
        role: "assistant",
        content: "",
        tool_calls: [{ function: { name: "look", arguments: { q: query } } }],
      };
      return { answer: { message, done: true }, repeated: [message] };
    },
    result: (content) => ({ role: "tool", content }),
  },
];

describe.each(protocols)(
  "recordings of $provider.name, which name no turn before",
  ({ provider, user, called, result }) => {
    const requestOf = (items: readonly Json[]) => {
      const body = { model: "m-1", [provider.historyField.slice(1)]: items };
      return { method: "POST", ...provider.upstream.pathOf(body, { model: "m-1", isStream: true }), body };
    };
    const summaryOf = (id: string, items: readonly Json[], answer: Json) => {
      const { body, ...place } = requestOf(items);
      const stored = { ...place, body: { json: body }, parent: undefined };
      return {
        id,
        vertical: id.split("/")[0],
        provider: provider.name,
        provenance: { kind: "recorded", recorded_at: "2026-01-01T00:00:00Z" },
        end: "complete",
        prompt: provider.readQuestion({ ...place, body }).prompt,
        match: matchKeyOf(provider, stored),
        lineage: recordedLineage(provider, { ...place, body, parent: undefined }, provider.readAnswer(answer)),
        parentId: null,
        sequence: 1,
        hasRedactions: false,
      } as unknown as CassetteSummary;
    };
    const ask = user("What is in stock?");
    const [seven, eight] = [called("7"), called("8")];
    const second = [ask, ...seven.repeated, result("seven bolts")];
    const last = called("9");
    const index = new MatchIndex([
      summaryOf("shop/a", [ask], seven.answer),
      summaryOf("shop/a-2", second, last.answer),
      summaryOf("shop/a-3", [...second, ...last.repeated, user("Order more.")], seven.answer),
      // The same first request, answered otherwise.
      summaryOf("shop/b", [ask], eight.answer),
      summaryOf("shop/b-2", [ask, ...eight.repeated, result("none")], last.answer),
      summaryOf("shop/c", [user("Hello.")], called("5").answer),
      summaryOf("shop/c-2", [user("Hello."), ...called("5").repeated, user("And?")], called("6").answer),
    ]);
    const choose = async (items: readonly Json[], name?: string) => {
      const catalogue = { matchIndex: async () => index } as unknown as Catalogue;
      const request = digestRequest(provider, requestOf(items));
      const named = name === undefined ? null : { id: name, place: "model" };
      return (await chooseCassette({ catalogue, nearestCassettes: async () => [] }, { provider, request, named })).id;
    };
    const withResult = [ask, ...seven.repeated, result("a result of my own")];

    it("are linked by the answers that their requests repeat", () => {
      const ids = (id: string) => index.conversation(id).map((turn) => turn.id);
      for (const id of ["shop/a", "shop/a-2", "shop/a-3"]) expect(ids(id)).toEqual(["shop/a", "shop/a-2", "shop/a-3"]);
      expect(ids("shop/b-2")).toEqual(["shop/b", "shop/b-2"]);
    });

    it("are played by the name of any turn, and without one, whatever tools returned", async () => {
      for (const name of ["shop/a", "shop/a-3", "shop/b", undefined]) {
        expect(await choose(second, name)).toBe("shop/a-2");
        expect(await choose(withResult, name)).toBe("shop/a-2");
      }
      expect(await choose([...withResult, ...last.repeated, user("Order more.")])).toBe("shop/a-3");
      expect(await choose([ask], "shop/b")).toBe("shop/b");
      // Another client's first request is not exactly the recorded one.
      expect(await choose([user("What else is in stock?")], "shop/c-2")).toBe("shop/c");
    });

    it.runIf(provider.isReference)(
      "are linked and played by the ids of calls, where clients only name answers",
      async () => {
        const named = [ask, { type: "item_reference", id: "fc_7" }, result("a result of my own")];
        expect(await choose(named, "shop/b")).toBe("shop/b-2");
        expect(await choose(named, "shop/a")).toBe("shop/a-2");
        // Both answers here have the same ids of calls.
        await expect(choose(named)).rejects.toMatchObject({ code: "conflict" });
        const recorded = new MatchIndex([
          summaryOf("shop/c", [ask], seven.answer),
          summaryOf("shop/c-2", named, last.answer),
        ]);
        expect(recorded.conversation("shop/c").map(({ id }) => id)).toEqual(["shop/c", "shop/c-2"]);
      },
    );

    it.runIf(provider.isReference)("continue a response by its id, if the user says the same", async () => {
      const moved = new MatchIndex([
        summaryOf("shop/d", [ask], { ...seven.answer, id: "resp_d" }),
        summaryOf("shop/d-2", [ask, ...seven.repeated, user("Order more.")], last.answer),
      ]);
      const follow = (text: string, id?: string) => {
        const body = { model: "m-1", previous_response_id: "resp_d", input: [user(text)] };
        const request = digestRequest(provider, { ...requestOf([]), body });
        const catalogue = { matchIndex: async () => moved } as unknown as Catalogue;
        const named = id === undefined ? null : { id, place: "model" };
        return chooseCassette({ catalogue, nearestCassettes: async () => [] }, { provider, request, named });
      };
      for (const name of ["shop/d", "shop/d-2", undefined])
        expect(await follow("Order more.", name)).toEqual({ id: "shop/d-2", match: "lineage" });
      for (const other of ["Order less.", "Order", ""])
        await expect(follow(other)).rejects.toMatchObject({ code: "not_found" });
    });

    it("are not played without a name if the user says something else, or was answered otherwise", async () => {
      const otherwise = [ask, ...called("77").repeated, user("Thanks.")];
      for (const items of [[...second, ...last.repeated, user("Order less.")], otherwise])
        await expect(choose(items)).rejects.toMatchObject({ code: "not_found" });
    });
  },
);
