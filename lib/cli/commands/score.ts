import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import type { Command } from "commander";
import { blockedScore } from "#lib/contract/blocked-content";
import { outboundBounds } from "#lib/platform/outbound/index";
import { decodeText, isBinary } from "#lib/tracking/fetching/index";
import { nameFinding, scoreSecurity } from "#lib/tracking/security/index";
import { parseDomain } from "../arguments";
import { CommandFailure, misused } from "../failure";
import { type CommandIo, writeJson } from "../io";

/** Largest text that is scored, in bytes: the limit for vendors' files. */
const maxByteSize = outboundBounds.maxBodyByteSize;
const maxMebibytes = maxByteSize / 1024 / 1024;

const help = `
Scores the text as the file of a vendor with that domain. Without --domain, every link counts as one to another domain.
Each finding has its line and points. From a score of ${blockedScore} on, a vendor's text is blocked. At most ${maxMebibytes} MiB.

Examples:
  tapedeck score llms.txt --domain example.com
  curl -s https://docs.example.com/llms.txt | tapedeck score - --domain example.com --json

Exit codes: 0 the text was scored, whatever its score; 2 wrong usage.`;

/** What is wrong with a file, by the code of the error. */
const problems: Record<string, string> = { ENOENT: "does not exist", EISDIR: "is a folder" };

/** Reads a file or standard input; not more than the limit, even if it never ends. */
export async function readText(file: string): Promise<string> {
  const source: Readable = file === "-" ? process.stdin : createReadStream(file);
  const name = file === "-" ? "Standard input" : file;
  const chunks: Uint8Array[] = [];
  let byteSize = 0;
  try {
    for await (const chunk of source) {
      byteSize += (chunk as Uint8Array).byteLength;
      if (byteSize > maxByteSize) throw new CommandFailure(`${name} is larger than ${maxMebibytes} MiB.`, misused);
      chunks.push(chunk as Uint8Array);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const { code = "", message } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${name} ${problems[code] ?? `cannot be read: ${message}`}.`, misused);
  }
  const body = Buffer.concat(chunks);
  const text = decodeText(body, undefined);
  if (isBinary(body, text))
    throw new CommandFailure(`${name} is not a text: give a markdown, HTML or plain text file.`, misused);
  return text;
}

export function addScoreCommand(program: Command, io: CommandIo): void {
  program
    .command("score")
    .description("print the security score of a text, and its findings")
    .argument("<file>", "the text, or - for standard input")
    .option("--domain <domain>", "the domain that the text belongs to", parseDomain)
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async (file: string, { domain = "", json }: { domain?: string; json?: boolean }) => {
      const { score, findings, omittedCount } = scoreSecurity(await readText(file), { domain });
      const isBlocked = score >= blockedScore;
      if (json) {
        writeJson(io, { score, blocked: isBlocked, findings, omitted_count: omittedCount });
        return;
      }
      io.stdout.write(`score ${score} of 5: ${isBlocked ? "blocked" : "not blocked"}\n`);
      for (const { detector, points, line, excerpt } of findings)
        io.stdout.write(`line ${line}  ${points} points  ${detector}: ${nameFinding(detector)}\n  ${excerpt}\n`);
      if (omittedCount > 0) io.stdout.write(`and ${omittedCount} more findings\n`);
    });
}
