import type { Command } from "commander";
import { type CassetteSummary, catalogue } from "#lib/replay/cassettes/index";

type Options = { vertical?: string; json?: boolean };

function line({ id, title, chunkCount, durationMs, provenance }: CassetteSummary, width: number): string {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`.padStart(7);
  return `${id.padEnd(width)}  ${String(chunkCount).padStart(5)} chunks  ${seconds}  ${provenance.kind.padEnd(8)}  ${title}\n`;
}

export function addListCommand(cassettes: Command): void {
  cassettes
    .command("list")
    .description("list the cassettes of the configured store; broken ones are named in the log")
    .option("--vertical <vertical>", "only this vertical")
    .option("--json", "print JSON")
    .action(async ({ vertical, json }: Options) => {
      const all = (await catalogue().list()).filter((summary) => !vertical || summary.vertical === vertical);
      if (json) {
        const rows = all.map(({ text: _text, prompt: _prompt, ...row }) => row);
        process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
        return;
      }
      if (all.length === 0) process.stdout.write("No cassettes. Record one: tapedeck record --help\n");
      const width = Math.max(0, ...all.map(({ id }) => id.length));
      for (const summary of all) process.stdout.write(line(summary, width));
    });
}
