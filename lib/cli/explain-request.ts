import { readFile } from "node:fs/promises";
import { printable } from "#lib/platform/printable";
import type { MatchAnswer } from "#lib/replay/playback/index";
import { CommandFailure, misused } from "./failure";
import type { CommandIo } from "./io";

type Where = { path: string; cassette?: string; url: string };

/** Prints which cassette a running server plays for a request, and the nearest ones with their differences. Throws CommandFailure. */
export async function explainRequest(file: string, { path, cassette, url }: Where, io: CommandIo): Promise<void> {
  if (!URL.canParse(url)) throw new CommandFailure(`--url ${url} is not a URL.`, misused);
  const body = await readFile(file, "utf8")
    .then((text) => JSON.parse(text) as unknown)
    .catch(({ message }: Error) => {
      throw new CommandFailure(`--request ${file}: ${message}.`, misused);
    });
  const headers = cassette === undefined ? {} : { "x-replay-cassette": cassette };
  const response = await fetch(new URL("/api/v1/match", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ path, headers, body }),
  }).catch(() => {
    throw new CommandFailure(`${url} does not answer. Start the server, or name its address with --url.`);
  });
  const answer = await response.json().catch(() => ({ error: `status ${response.status}` }));
  if (!response.ok) throw new CommandFailure(`${url}: ${answer.error}`);
  const { cassette: id, match, error, nearest } = answer as MatchAnswer;
  const lines = [
    id === null ? `${error?.status}: ${error?.message}` : `${id} is played (${match}).`,
    ...nearest.flatMap(({ id: near, difference_count: count, differences }) => [
      `${near}: ${count === 0 ? "exactly this request" : `${count} ${count === 1 ? "difference" : "differences"}`}`,
      ...differences.map((difference) => `  ${difference}`),
    ]),
  ];
  for (const line of lines) io.stdout.write(`${printable(line)}\n`);
  if (id === null) throw new CommandFailure("No cassette is played for this request.");
}
