import { describe, expect, it } from "vitest";
import { MatchIndex } from "#lib/replay/cassettes/index";
import { choose, matchedSummary } from "#tests/support/choose-recording";
import { type Json, protocols, providerProtocols } from "#tests/support/conversation-protocols";

/** Returns an item of an answer as clients repeat it in the next request: without what only answers have. */
function repeated({ content, ...item }: Json): Json {
  if (item.type === "message") return { role: item.role, content: (content as Json[])[0]?.text };
  return content === null ? item : { ...item, content };
}

describe.each(providerProtocols)("recordings of %s, which name no turn before", (name) => {
  const { provider, requestOf, answerOf, continue: next } = protocols[name];
  const historyOf = (request: Json) => request[provider.historyField.slice(1)] as Json[];
  const bodyOf = (items: readonly Json[]) => ({ model: "m-1", [provider.historyField.slice(1)]: items });
  const user = (text: string) => historyOf(requestOf(text))[0] as Json;
  const called = (query: string) => {
    const call = { id: `call_${query}`, name: "look", input: { q: query } };
    const answer = answerOf({ text: name === "chat" ? "" : "One moment. ", calls: [call] }, "1");
    return {
      answer,
      repeated: historyOf(next(bodyOf([]), answer, []))
        .filter(provider.isFromModel)
        .map(repeated),
    };
  };
  const result = (output: string) =>
    historyOf(next(bodyOf([]), called("7").answer, [{ id: "call_7", name: "look", output }])).at(-1) as Json;
  const summaryOf = (id: string, items: readonly Json[], answer: Json) =>
    matchedSummary(provider, { id, body: bodyOf(items), answer });
  const ask = user("What is in stock?");
  const [seven, eight] = [called("7"), called("8")];
  const second = [ask, ...seven.repeated, result("seven bolts")];
  const last = called("9");
  const recorded = [
    summaryOf("shop/a", [ask], seven.answer),
    summaryOf("shop/a-2", second, last.answer),
    summaryOf("shop/a-3", [...second, ...last.repeated, user("Order more.")], seven.answer),
    // The same first request, answered otherwise.
    summaryOf("shop/b", [ask], eight.answer),
    summaryOf("shop/b-2", [ask, ...eight.repeated, result("none")], last.answer),
    summaryOf("shop/c", [user("Hello.")], called("5").answer),
    summaryOf("shop/c-2", [user("Hello."), ...called("5").repeated, user("And?")], called("6").answer),
  ];
  const index = new MatchIndex(recorded);
  const play = async (items: readonly Json[], name?: string) =>
    (await choose(provider, recorded, { body: bodyOf(items), name })).id;
  const withResult = [ask, ...seven.repeated, result("a result of my own")];

  it("are linked by the answers that their requests repeat", () => {
    const ids = (id: string) => index.conversation(id).map((turn) => turn.id);
    for (const id of ["shop/a", "shop/a-2", "shop/a-3"]) expect(ids(id)).toEqual(["shop/a", "shop/a-2", "shop/a-3"]);
    expect(ids("shop/b-2")).toEqual(["shop/b", "shop/b-2"]);
  });

  it("are played by the name of any turn, and without one, whatever tools returned", async () => {
    for (const name of ["shop/a", "shop/a-3", "shop/b", undefined]) {
      expect(await play(second, name)).toBe("shop/a-2");
      expect(await play(withResult, name)).toBe("shop/a-2");
    }
    expect(await play([...withResult, ...last.repeated, user("Order more.")])).toBe("shop/a-3");
    expect(await play([ask], "shop/b")).toBe("shop/b");
    // Another client's first request is not exactly the recorded one.
    expect(await play([user("What else is in stock?")], "shop/c-2")).toBe("shop/c");
  });

  it.runIf(provider.isReference)(
    "are linked and played by the ids of calls, where clients only name answers",
    async () => {
      const named = [ask, { type: "item_reference", id: "fc_call_7" }, result("a result of my own")];
      expect(await play(named, "shop/b")).toBe("shop/b-2");
      expect(await play(named, "shop/a")).toBe("shop/a-2");
      // Both answers here have the same ids of calls.
      await expect(play(named)).rejects.toMatchObject({ code: "conflict" });
      const linked = new MatchIndex([
        summaryOf("shop/c", [ask], seven.answer),
        summaryOf("shop/c-2", named, last.answer),
      ]);
      expect(linked.conversation("shop/c").map(({ id }) => id)).toEqual(["shop/c", "shop/c-2"]);
    },
  );

  it.runIf(provider.isReference)("continue a response by its id, if the user says the same", async () => {
    const moved = [
      summaryOf("shop/d", [ask], { ...seven.answer, id: "resp_d" }),
      summaryOf("shop/d-2", [ask, ...seven.repeated, user("Order more.")], last.answer),
    ];
    const follow = (text: string, name?: string) =>
      choose(provider, moved, { body: { model: "m-1", previous_response_id: "resp_d", input: [user(text)] }, name });
    for (const name of ["shop/d", "shop/d-2", undefined])
      expect(await follow("Order more.", name)).toEqual({ id: "shop/d-2", match: "lineage" });
    for (const other of ["Order less.", "Order", ""])
      await expect(follow(other)).rejects.toMatchObject({ code: "not_found" });
  });

  it("are not played without a name if the user says something else, or was answered otherwise", async () => {
    const otherwise = [ask, ...called("77").repeated, user("Thanks.")];
    for (const items of [[...second, ...last.repeated, user("Order less.")], otherwise])
      await expect(play(items)).rejects.toMatchObject({ code: "not_found" });
  });
});
