import { framingOf } from "#lib/replay/providers/index";
import { type Composer, type Json, readField } from "./compose-stream";
import type { Script, ScriptBlock } from "./script";
import { type Problem, problemsOf } from "./script-basics";

type Checked = { script: Script; composer: Composer };

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the names of a request's tools, in the format of any provider. */
function toolNames({ tools }: Json): Set<unknown> {
  return new Set(
    objects(tools).flatMap((tool) => [
      tool.name,
      (tool.function as Json | undefined)?.name,
      ...objects(tool.functionDeclarations).map(({ name }) => name),
    ]),
  );
}

function checkBlock(block: ScriptBlock, index: number, { script, composer }: Checked): Problem[] {
  const { provider, blockTypes, thinkingField } = composer;
  const problems: Problem[] = [];
  const fail = (field: string, reason: string) => problems.push([`blocks.${index}${field}`, reason]);
  if (!blockTypes.includes(block.type)) {
    fail(".type", `is ${block.type}; ${provider.name} has ${blockTypes.join(", ")}`);
  }
  if (block.type === "text" && block.citations && provider.name !== "anthropic") {
    fail(".citations", "can only be written for anthropic");
  }
  if ((block.type === "tool_use" || block.type === "server_tool_use") && !toolNames(script.request).has(block.name)) {
    fail(".name", `"${block.name}" is not among request.tools`);
  }
  if (block.type === "thinking" && readField(script.request, thinkingField) === undefined) {
    fail("", `is a thinking block, but request.${thinkingField} is missing`);
  }
  const before = script.blocks.slice(0, index);
  if (block.type === "web_search_tool_result" && !before.some(({ type }) => type === "server_tool_use")) {
    fail("", "must follow a server_tool_use block");
  }
  const last = before.at(-1);
  if (!composer.isOneMessage || !last) return problems;
  const step = blockTypes.indexOf(block.type) - blockTypes.indexOf(last.type);
  if (step < 0 || (step === 0 && block.type !== "tool_use")) {
    fail("", `a ${block.type} block cannot follow a ${last.type} block: an answer of ${provider.name} is one message`);
  }
  return problems;
}

function checkEnding({ script: { blocks, ending }, composer }: Checked): Problem[] {
  const { provider, stopReasons, blockTypes } = composer;
  const { stop_reason: reason, stop_details: details, error } = ending;
  const isAnthropic = provider.name === "anthropic";
  if ((details !== undefined) !== (isAnthropic && reason === "refusal")) {
    const where = isAnthropic ? "" : " of anthropic";
    return [["ending", `must have stop_details if and only if the stop_reason${where} is refusal`]];
  }
  if (error) return [];
  if (reason === undefined || stopReasons[reason] === undefined) {
    const known = Object.keys(stopReasons).join(", ");
    return [["ending.stop_reason", `is ${reason}; ${provider.name} has ${known}`]];
  }
  const last = blocks.at(-1)?.type;
  if ((last === "tool_use") !== (reason === "tool_use")) {
    return [["ending.stop_reason", "must be tool_use if and only if the last block is a tool_use"]];
  }
  if (blockTypes.includes("refusal") && (last === "refusal") !== (reason === "refusal")) {
    return [["ending.stop_reason", "must be refusal if and only if the last block is a refusal"]];
  }
  return [];
}

/** Fields of a request, in dots, that ask for what an authored answer does not have. */
const countFields = ["n", "generationConfig.candidateCount"];
const probabilityFields = ["logprobs", "top_logprobs", "generationConfig.responseLogprobs"];

function checkAsked(request: Json): Problem[] {
  const asked = (field: string) => Number(readField(request, field) ?? 0);
  return [
    ...countFields.filter((field) => asked(field) > 1).map((field) => [field, "must be 1: a script is one answer"]),
    ...probabilityFields
      .filter((field) => asked(field) > 0)
      .map((field) => [field, "must be absent: a script has no log probabilities"]),
  ].map(([field = "", reason = ""]) => [`request.${field}`, reason]);
}

/** Returns a complete request with its fields in the order of the schema, and what is wrong with it. */
export function checkRequest(request: Json, { requestSchema }: Composer): { request: Json; problems: Problem[] } {
  const result = requestSchema.safeParse(request);
  const problems = result.success ? [] : problemsOf(result.error, "request");
  return { request: result.data ?? request, problems: [...problems, ...checkAsked(request)] };
}

/** Returns what the provider would not accept or send, such as undeclared tools. The request is complete. */
export function checkScript(checked: Checked): Problem[] {
  const { script, composer } = checked;
  const { provider } = composer;
  const problems: Problem[] = [];
  const history = provider.historyField.slice(1);
  const lastRole = objects(script.request[history]).at(-1)?.role;
  if (lastRole === "assistant" || lastRole === "model") {
    problems.push([`request.${history}`, "must end with a user message"]);
  }
  if (script.sse_forms && framingOf(provider.stream.contentType) !== "sse") {
    problems.push(["sse_forms", `cannot be written for ${provider.name}, which sends no server-sent events`]);
  }
  const ofBlocks = script.blocks.flatMap((block, index) => checkBlock(block, index, checked));
  return [...problems, ...ofBlocks, ...checkEnding(checked)];
}
