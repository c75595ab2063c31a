import { AppError } from "#lib/platform/errors";
import { cassettesOfSite } from "#lib/replay/cassettes/index";
import type { KnownValues } from "#lib/server/openapi/index";
import { listWeek } from "#lib/tracking/intelligence/index";
import type { getPageContext } from "../../../_components/page-context";

type Context = Awaited<ReturnType<typeof getPageContext>>;

async function cassetteValues(context: Context): Promise<KnownValues> {
  const summaries = await cassettesOfSite(context);
  const whole = summaries.find(({ end, status }) => end === "complete" && status === 200) ?? summaries[0];
  const [vertical, cookbook] = whole?.id.split("/") ?? [];
  return vertical && cookbook ? { "streamReplay.vertical": vertical, "streamReplay.cookbook": cookbook } : {};
}

async function diffValues(context: Context): Promise<KnownValues> {
  const [change] = await listWeek(context);
  return change ? { "getDiff.id": change.diffId } : {};
}

/** The reference reads without them: examples then say what is to be put in. */
async function orNone(context: Context, read: (context: Context) => Promise<KnownValues>): Promise<KnownValues> {
  try {
    return await read(context);
  } catch (error) {
    if (!(error instanceof AppError)) context.log.warn({ err: error }, "the reference's examples cannot be read");
    return {};
  }
}

/** Values that this site's examples can be tried with. */
export async function findExampleValues(context: Context): Promise<KnownValues> {
  const [cassette, diff] = await Promise.all([orNone(context, cassetteValues), orNone(context, diffValues)]);
  return { ...cassette, ...diff };
}
