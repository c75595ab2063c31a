import { AppError } from "#lib/platform/errors";
import { cassettesOfSite } from "#lib/replay/cassettes/index";
import type { KnownValues } from "#lib/server/openapi/index";
import { listRecentChanges } from "#lib/tracking/intelligence/index";
import type { getPageContext } from "../../../_components/page-context";

type Context = Awaited<ReturnType<typeof getPageContext>>;

async function cassetteValues(context: Context): Promise<KnownValues> {
  const summaries = await cassettesOfSite(context);
  const cassette = summaries.find(({ end, status }) => end === "complete" && status === 200) ?? summaries[0];
  const [vertical, cookbook] = cassette?.id.split("/") ?? [];
  return vertical && cookbook ? { "streamReplay.vertical": vertical, "streamReplay.cookbook": cookbook } : {};
}

async function diffValues(context: Context): Promise<KnownValues> {
  const [change] = await listRecentChanges(context);
  return change ? { "getDiff.id": change.diffId } : {};
}

/** Returns no values on failure: the examples then have placeholders. */
async function readOrNone(context: Context, read: (context: Context) => Promise<KnownValues>): Promise<KnownValues> {
  try {
    return await read(context);
  } catch (error) {
    if (!(error instanceof AppError))
      context.log.warn({ err: error }, "could not read example values for the API reference");
    return {};
  }
}

/** Returns parameter values with which the examples work on this site. */
export async function findExampleValues(context: Context): Promise<KnownValues> {
  const [cassetteExamples, diffExamples] = await Promise.all([
    readOrNone(context, cassetteValues),
    readOrNone(context, diffValues),
  ]);
  return { ...cassetteExamples, ...diffExamples };
}
