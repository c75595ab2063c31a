import { writeFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { formatCount } from "#lib/platform/format-count";
import { printable } from "#lib/platform/printable";
import { type RepeatFlags, repeatNamed, withRepeatOptions } from "../answers/repeat-command";
import { describeMissing, type RepeatedCalls, recordingsText } from "../answers/repeat-requests";
import { shorten } from "../audit/audit-text";
import { type Drift, findDrift, type Severity, severities } from "../drift/find-drift";
import { CommandFailure, noAnswer } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { markdownCell, markdownTable } from "../run-report/markdown";

type Flags = RepeatFlags & { json?: boolean; markdown?: string; failOn: Severity };

const help = `
Requests of tapes are sent to the provider that they were recorded from, with the key and base URL of the environment, such as
OPENAI_API_KEY. Each costs what the recorded one did. Those of one protocol and model are compared together, since single
answers differ: fields, types, kinds of events, statuses and reasons to stop, but no texts. Tapes stay as they are.

  breaking  a request now fails; a field is gone that was always there; a type is another one
  warning   a reason to stop or null where there was none; a kind of event is gone; the provider announces an end
  info      a field or a kind of event is new

Examples:
  tapedeck drift
  tapedeck drift "books a trip" --fail-on warning --markdown drift.md

Exit codes: 0 no difference of --fail-on or worse, 1 there is one, 2 wrong usage or no request can be sent, 3 a request got no
answer, for example because its key was refused or its rate limit exceeded.`;

const modelsText = ({ models }: Drift) => shorten(models);

function summaryText({ calls, unanswered }: RepeatedCalls, drifts: readonly Drift[]): string {
  const counts = severities.map((severity) => {
    const count = drifts.filter((drift) => drift.severity === severity).length;
    return `${count} ${severity}`;
  });
  const tapes = new Set(calls.map(({ test }) => test)).size;
  const answered = calls.length - unanswered.length;
  const sent = `${formatCount(calls.length, "request")} of ${formatCount(tapes, "tape")} sent again`;
  if (answered === 0) return `${sent}, none answered.`;
  const some = answered < calls.length ? `, ${answered} answered` : "";
  return `${sent}${some}: ${drifts.length === 0 ? "no differences" : counts.join(", ")}.`;
}

function lines(found: RepeatedCalls, drifts: readonly Drift[]): string[] {
  const groups = new Map<string, Drift[]>();
  for (const drift of drifts) groups.set(drift.protocol, [...(groups.get(drift.protocol) ?? []), drift]);
  return [
    summaryText(found, drifts),
    ...[...groups].flatMap(([protocol, members]) => [
      protocol,
      ...members.flatMap((drift) => [
        `  ${drift.severity.padEnd(8)}  ${drift.what} ${drift.place} ${drift.change}`,
        `            ${modelsText(drift)}: ${recordingsText(drift.recordings)}`,
      ]),
    ]),
    ...describeMissing(found),
  ];
}

/** Returns the differences as the text of a pull request. */
function markdownOf(found: RepeatedCalls, drifts: readonly Drift[]): string {
  const rows = drifts.map((drift) => [
    drift.severity,
    `${drift.protocol}: ${modelsText(drift)}`,
    `${drift.what} \`${drift.place}\` ${drift.change}`,
    recordingsText(drift.recordings),
  ]);
  return [
    "## Changes of providers' answers",
    "",
    summaryText(found, drifts),
    ...(rows.length > 0 ? ["", ...markdownTable(["Severity", "Requests", "Change", "Recordings"], rows)] : []),
    "",
    ...describeMissing(found).map((line) => `- ${markdownCell(line.trim())}`),
    "",
  ].join("\n");
}

async function drift(names: readonly string[], flags: Flags, io: CommandIo): Promise<void> {
  const found = await repeatNamed(names, flags);
  const drifts = findDrift(found.calls);
  const { calls, leftOut, unanswered, unsent } = found;
  if (flags.json) writeJson(io, { sent: calls.length, left_out: leftOut, not_sent: unsent, unanswered, drifts });
  else for (const line of lines(found, drifts)) io.stdout.write(`${printable(line)}\n`);
  if (flags.markdown !== undefined) await writeFile(flags.markdown, markdownOf(found, drifts));
  const isFailure = ({ severity }: Drift) => severities.indexOf(severity) <= severities.indexOf(flags.failOn);
  const failures = drifts.filter(isFailure).length;
  if (failures > 0)
    throw new CommandFailure(
      `The run fails because of ${formatCount(failures, "difference")} (--fail-on ${flags.failOn}).`,
    );
  if (unanswered.length > 0)
    throw new CommandFailure(`${formatCount(unanswered.length, "request")} got no answer.`, noAnswer);
}

export function addDriftCommand(program: Command, io: CommandIo): void {
  withRepeatOptions(program.command("drift"))
    .description("send the requests of tapes again, and compare the shape of the answers with the recorded ones")
    .argument("[tapes...]", "folders, recordings, or tests or parts of their names; without one, all tapes")
    .addOption(
      new Option("--fail-on <severity>", "exit with 1 from this severity on")
        .choices([...severities])
        .default("breaking"),
    )
    .option("--json", "print JSON")
    .option("--markdown <file>", "also write the text of a pull request")
    .addHelpText("after", help)
    .action((names: string[], flags: Flags) => drift(names, flags, io));
}
