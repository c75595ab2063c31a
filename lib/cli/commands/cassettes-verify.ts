import type { Command } from "commander";
import { listStoredIds } from "#lib/replay/cassettes/index";
import { CommandFailure } from "../failure";
import { readCassetteArgument } from "../read-cassette-file";

type Verdict = { cassette: string; ok: boolean; reason: string | null };

async function verify(cassette: string): Promise<Verdict> {
  try {
    await readCassetteArgument(cassette);
    return { cassette, ok: true, reason: null };
  } catch (error) {
    return { cassette, ok: false, reason: (error as Error).message };
  }
}

export function addVerifyCommand(cassettes: Command): void {
  cassettes
    .command("verify")
    .description("check cassettes against their schema and hashes; exits 1 where one is broken")
    .argument("[cassettes...]", "files or <vertical>/<slug>; without any, the whole store")
    .option("--json", "print JSON")
    .action(async (given: string[], { json }: { json?: boolean }) => {
      const names = given.length > 0 ? given : await listStoredIds();
      const verdicts: Verdict[] = [];
      for (const name of names) {
        const verdict = await verify(name);
        verdicts.push(verdict);
        if (!json) process.stdout.write(verdict.ok ? `ok   ${name}\n` : `BAD  ${verdict.reason}\n`);
      }
      if (json) process.stdout.write(`${JSON.stringify(verdicts, null, 2)}\n`);
      const bad = verdicts.filter(({ ok }) => !ok).length;
      if (bad > 0) throw new CommandFailure(`${bad} of ${verdicts.length} cassettes are broken.`);
    });
}
