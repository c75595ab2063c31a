import type { Cassette } from "../format";
import { hashForMatch, omitShared } from "../request";
import { checkRequest } from "./check-script";
import { authoredModel, type Composer, type Json, type ToolResult } from "./compose-stream";
import { type Script, ScriptError } from "./script";

/** A turn that another one continues: its complete request, and its answer as the same call returns it without streaming. */
export type Turn = { id: string; composer: Composer; body: Json; answer: Json };

type StoredRequest = Omit<Cassette["request"], "sha256">;

function toResults({ answer, composer, id: parentId }: Turn, script: Script, id: string): ToolResult[] {
  const { ids, parts } = composer.provider.readAnswer(answer);
  const calls = parts.flatMap((part) => (part.kind === "tool" && !part.isServer ? [part.name] : []));
  const outputs = script.results ?? [];
  if (calls.length !== outputs.length) {
    throw new ScriptError(id, "results", `has ${outputs.length} items, but ${parentId} calls ${calls.length} tools`);
  }
  // The ids of the calls come after that of the response.
  const callIds = ids.slice(ids.length - calls.length);
  return calls.map((name, index) => ({ name, callId: callIds[index] as string, output: outputs[index] as string }));
}

type CompleteInput = { composer: Composer; id: string; parent: Turn | undefined };

/** Returns a script's request: for a later turn, what a client sends that appended the answer and the results. */
function joinTurns(script: Script, { composer, id, parent }: CompleteInput): Json {
  if (!parent) {
    if (script.results) throw new ScriptError(id, "results", "needs continues");
    return script.request;
  }
  if (parent.composer !== composer) {
    const [own, other] = [composer.provider.name, parent.composer.provider.name];
    throw new ScriptError(id, "provider", `is ${own}, but ${parent.id} is a cassette of ${other}`);
  }
  const field = composer.provider.historyField.slice(1);
  const results = toResults(parent, script, id);
  const history = [
    ...(parent.body[field] as Json[]),
    ...composer.answerItems(parent.answer),
    ...(results.length > 0 ? composer.resultItems(results) : []),
    ...((script.request[field] ?? []) as Json[]),
  ];
  return { ...parent.body, ...script.request, [field]: history };
}

/** Returns the complete body of a script's request. Throws ScriptError. */
export function completeBody(script: Script, input: CompleteInput): Json {
  const { model: _model, ...request } = joinTurns(script, input);
  const checked = checkRequest(request, input);
  // Without the model if the provider's path names it.
  return { ...input.composer.provider.upstream.bodyOf({ model: authoredModel }), ...checked };
}

/** Returns the request as it is stored: without the messages that the turn before has too. */
export function toStoredRequest(body: Json, { provider }: Composer, parent: Turn | undefined): StoredRequest {
  const place = provider.upstream.pathOf(body, { model: authoredModel, isStream: true });
  const request = (json: Json): StoredRequest => ({ method: "POST", ...place, body: { json }, redactions: [] });
  if (!parent) return request(body);
  const complete = request(body);
  const { body: rest, parent: link } = omitShared(body, parent, provider.historyField);
  const answers = provider.readQuestion({ method: "POST", ...place, body }).assistantTurns;
  return { ...request(rest), parent: { ...link, answers, match_sha256: hashForMatch(provider, complete) } };
}
