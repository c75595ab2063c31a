import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { textWithOrigin } from "#lib/contract/example-origin";

/** The changelog of this version: its text without the title. */
export type Changelog = { markdown: string };

const file = join(process.cwd(), "CHANGELOG.md");

let loading: Promise<Changelog> | undefined;

async function readChangelog(): Promise<Changelog> {
  const text = (await readFile(file, "utf8")).replaceAll("\r\n", "\n");
  return { markdown: text.replace(/^# .*\n+/, "").trim() };
}

/** Returns the changelog. It is read once per process; after a failure, the next call reads it again. */
export function loadChangelog(): Promise<Changelog> {
  loading ??= readChangelog().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** Returns the changelog as markdown, with the origin of the request in its examples. */
export async function getChangelog({ origin }: { origin: string }): Promise<string> {
  const { markdown } = await loadChangelog();
  return textWithOrigin(`# Changelog\n\n${markdown}\n`, origin);
}
