import { config } from "#lib/platform/config";
import { AppError } from "#lib/platform/errors";
import { framingOf } from "#lib/replay/providers/index";
import type { Catalogue } from "./catalogue";
import type { CassetteSummary } from "./describe-cassette";
import { contentTypes } from "./import/capture";
import { unknownCassette } from "./unknown-cassette";

export type Download = { fileName: string; contentType: string; bytes: Uint8Array };

type DownloadInput = { params: { vertical: string; cookbook: string }; query: { part?: "body" | undefined } };

const endings = { sse: "sse", ndjson: "ndjson", json: "json" } as const;

/**
 * Whether anyone may download a cassette's file. It contains the request with its system prompt and tools, which replays and
 * pages do not show; nobody but its author has written them into an authored cassette.
 */
export function isFileShared({ provenance }: Pick<CassetteSummary, "provenance">): boolean {
  return provenance.kind === "authored" || config().CASSETTE_DOWNLOADS === "all";
}

/**
 * Returns a cassette's file as it is stored, or its recorded body. Throws AppError not_found, forbidden if the file is not
 * shared, and service_unavailable if the store does not respond.
 */
export async function downloadCassette(
  { catalogue }: { catalogue: Catalogue },
  { params: { vertical, cookbook }, query: { part } }: DownloadInput,
): Promise<Download> {
  const id = `${vertical}/${cookbook}`;
  const notFound = async () => unknownCassette(await catalogue.ids(), id);
  if (part === undefined) {
    const summary = await catalogue.find(id);
    if (!summary) throw await notFound();
    if (!isFileShared(summary)) {
      const message = `The file of "${id}" contains its request, which this server does not share. Add ?part=body for the response alone. Its operator can share the files: CASSETTE_DOWNLOADS=all.`;
      throw new AppError("forbidden", message);
    }
    const bytes = await catalogue.file(id);
    if (!bytes) throw await notFound();
    return { fileName: `${cookbook}.json`, contentType: "application/json; charset=utf-8", bytes };
  }
  const recording = await catalogue.recording(id);
  if (!recording) throw await notFound();
  const { "content-type": recorded } = recording.headers;
  const framing = framingOf(recorded);
  return {
    fileName: `${cookbook}.${endings[framing]}`,
    contentType: recorded ?? contentTypes[framing],
    bytes: Buffer.concat(recording.chunks),
  };
}
