import type { Command } from "commander";
import { bundledModels, type ModelCatalogue } from "#lib/models/index";
import { formatCount } from "#lib/platform/format-count";
import { describeDifference, findDifferences } from "#lib/platform/json-difference";
import { printable } from "#lib/platform/printable";
import { modelOf } from "#lib/replay/recording-proxy/index";
import { type AnswerPair, beginningOf, summarizeAnswer, sumText } from "../answers/answer-summary";
import { pairLines } from "../answers/recorded-answers";
import { type RepeatFlags, repeatNamed, withRepeatOptions } from "../answers/repeat-command";
import { describeMissing, type RepeatedCall } from "../answers/repeat-requests";
import { CommandFailure } from "../failure";
import { type CommandIo, writeJson } from "../io";

type Flags = RepeatFlags & { model: string; json?: boolean };

const help = `
Requests are sent to the provider that they were recorded from, with the key and base URL of the environment, such as
OPENAI_API_KEY, and with nothing changed but the model: later turns of a conversation have the recorded answers of earlier ones.
Tapes stay as they are. Costs are list prices from the bundled catalogue. Requests of another provider than the model's are left
out, if the catalogue knows the model; a name with a slash, as gateways have it, is sent with all.

Examples:
  tapedeck compare tapes/trip-test-ts --model gpt-5.4-mini
  tapedeck compare "books a trip" --model claude-opus-4-8 --json

Exit codes: 0 all requests were answered, 1 one was not or with an error, 2 wrong usage or no request can be sent.`;

/** Returns the recorded and the new answer; null if there was none to tell of. */
function pairOf({ test, file, exchange, recorded, repeated }: RepeatedCall, to: string, catalogue: ModelCatalogue) {
  if (repeated.kind !== "answered") return null;
  const { provider, request } = exchange;
  const { cassette, chunks } = recorded;
  const { host } = request;
  const named = { model: modelOf(provider, request), host };
  const before = summarizeAnswer(provider, { ...cassette.response, chunks }, named, catalogue);
  return { test, file, before, after: summarizeAnswer(provider, repeated, { model: to, host }, catalogue) };
}

/** Returns what of an answer is compared, besides its length and cost. */
const compared = ({ status, stop_reason, text }: NonNullable<AnswerPair["before"]>) => ({ status, stop_reason, text });

function differencesOf({ before, after }: AnswerPair): string[] {
  if (!before || !after) return [];
  return findDifferences(compared(before), compared(after)).map(describeDifference);
}

/** Returns the differences that the beginnings of both texts do not show. */
function hiddenDifferences(pair: AnswerPair): string[] {
  const isSeen = beginningOf(pair.before) !== beginningOf(pair.after);
  return differencesOf(pair).filter((text) => !(isSeen && text.startsWith("/text ")));
}

async function compare(names: readonly string[], { model, json, ...flags }: Flags, io: CommandIo): Promise<void> {
  const found = await repeatNamed(names, flags, model);
  const catalogue = bundledModels(new Date());
  const pairs = found.calls.flatMap((call) => pairOf(call, model, catalogue) ?? []);
  const unanswered = found.calls.flatMap(({ test, file, repeated }) =>
    repeated.kind === "answered" ? [] : [{ test, file, reason: repeated.reason }],
  );
  const equal = pairs.filter((pair) => differencesOf(pair).length === 0).length;
  if (json) {
    const answers = pairs.map((pair) => ({ ...pair, differences: differencesOf(pair) }));
    writeJson(io, { model, answers, unanswered, left_out: found.leftOut, not_sent: found.unsent });
  } else {
    const lines = [
      `${formatCount(pairs.length, "answer")} of ${model}, ${equal} the same, ${sumText(pairs)}`,
      ...pairLines(pairs, hiddenDifferences),
      ...describeMissing(found),
    ];
    for (const line of lines) io.stdout.write(`${printable(line)}\n`);
  }
  const failed =
    unanswered.length + pairs.filter(({ before, after }) => before.status < 300 && after.status >= 300).length;
  if (failed > 0) throw new CommandFailure(`Requests that ${model} did not answer: ${failed}.`);
}

export function addCompareCommand(program: Command, io: CommandIo): void {
  withRepeatOptions(program.command("compare"))
    .description(
      "send the requests of tapes to another model, and compare answers, tokens and costs with the recorded ones",
    )
    .argument("<tapes...>", "folders, recordings, or tests or parts of their names")
    .requiredOption("--model <name>", "the other model")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action((names: string[], flags: Flags) => compare(names, flags, io));
}
