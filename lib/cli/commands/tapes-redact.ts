import type { Command } from "commander";
import { commandLine } from "#lib/platform/command-line";
import { childEnvironment } from "#lib/platform/config";
import { formatCount } from "#lib/platform/format-count";
import { printable } from "#lib/platform/printable";
import { WriteError } from "#lib/replay/cassettes/index";
import { maskTape, secretsOf, TapeError } from "#lib/replay/recording-proxy/index";
import { CommandFailure } from "../failure";
import type { CommandIo } from "../io";
import { explainingTapes, openTapes, readTapeConfig } from "../tape-folders";

type Flags = { dryRun?: boolean; tapes?: string };

async function redact(names: readonly string[], { dryRun: isDryRun = false, tapes }: Flags, io: CommandIo) {
  const { tapes: root, volatile, redact: texts, allow: allowed } = await readTapeConfig(tapes);
  const secrets = [...texts, ...secretsOf(childEnvironment())];
  const problems: string[] = [];
  // What is wrong with one tape does not leave secrets on the others.
  const addProblem = (error: unknown): void => {
    if (error instanceof TapeError) problems.push(`${error.message}.`);
    else if (error instanceof WriteError) problems.push(error.message);
    else throw error;
  };
  const opened = await openTapes(names, root, { volatile, onUnreadable: addProblem });
  let [readCount, maskedCount, suspiciousCount] = [0, 0, 0];
  for (const { tape } of opened) {
    const masked = await maskTape(tape, { secrets, allowed, isDryRun }).catch(addProblem);
    if (masked) readCount += 1;
    for (const { file, redactions, suspicions } of masked ?? []) {
      const print = (word: string, place: string, more = "") =>
        io.stdout.write(`${printable(`${word}  ${tape.test}: ${file}: ${place || "body"}${more}`)}\n`);
      for (const { place, rule } of redactions) print(isDryRun ? "found" : "removed", place, `: ${rule}`);
      for (const { place } of suspicions) print("suspicious", place);
      if (redactions.length > 0) maskedCount += 1;
      suspiciousCount += suspicions.length;
    }
  }
  if (isDryRun && maskedCount > 0)
    io.stdout.write(`Nothing was changed. To remove what is listed: ${commandLine("redact")}\n`);
  else if (maskedCount > 0)
    io.stdout.write(
      `Secrets were removed from ${formatCount(maskedCount, "recording")}. Earlier commits still have them: renew keys.\n`,
    );
  else if (readCount > 0) io.stdout.write(`No secret was found in ${formatCount(readCount, "tape")}.\n`);
  if (suspiciousCount > 0)
    problems.push(
      'What is listed as suspicious looks like a secret and was left. Add its text to "redact" or to "allow" in tapedeck.config.json.',
    );
  if (problems.length > 0) throw new CommandFailure(problems.join("\n"));
}

export function addTapeRedactCommand(program: Command, io: CommandIo): void {
  program
    .command("redact")
    .description(
      "remove secrets from tapes that were recorded with them: what `redact` names now, values of secret variables, known patterns",
    )
    .argument("[tests...]", "names of tests, or folders of tapes (default: all)")
    .option("--dry-run", "only list them")
    .option("--tapes <dir>", "folder of the tapes (default: tapes, or that of tapedeck.config.json)")
    .action((names: string[], flags: Flags) => explainingTapes(() => redact(names, flags, io)));
}
