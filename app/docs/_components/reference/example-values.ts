import { AppError } from "#lib/platform/errors";
import { findExampleCassette } from "#lib/replay/cassettes/index";
import type { KnownValues } from "#lib/server/openapi/index";
import type { ProductContext } from "#lib/server/products";
import { listRecentChanges } from "#lib/tracking/intelligence/index";

async function cassetteValues(context: ProductContext): Promise<KnownValues> {
  const cassette = await findExampleCassette(context);
  const [vertical, cookbook] = cassette?.id.split("/") ?? [];
  return vertical && cookbook ? { "streamReplay.vertical": vertical, "streamReplay.cookbook": cookbook } : {};
}

async function diffValues(context: ProductContext): Promise<KnownValues> {
  const [change] = await listRecentChanges(context);
  return change ? { "getDiff.id": change.diffId } : {};
}

/** Returns no values on failure: the examples then have placeholders. */
async function readOrNone(
  context: ProductContext,
  read: (context: ProductContext) => Promise<KnownValues>,
): Promise<KnownValues> {
  try {
    return await read(context);
  } catch (error) {
    if (!(error instanceof AppError))
      context.log.warn({ err: error }, "could not read example values for the API reference");
    return {};
  }
}

/** Returns parameter values with which the examples work on this site. */
export async function findExampleValues(context: ProductContext): Promise<KnownValues> {
  const [cassetteExamples, diffExamples] = await Promise.all([
    readOrNone(context, cassetteValues),
    readOrNone(context, diffValues),
  ]);
  return { ...cassetteExamples, ...diffExamples };
}
