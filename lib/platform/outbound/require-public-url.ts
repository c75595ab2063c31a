import { AppError } from "#lib/platform/errors";
import { checkPublicUrl } from "./guarded-fetch";
import { OutboundError } from "./outbound-error";

const operatorHint = " Operators can allow it for tests: OUTBOUND_ALLOWED_HOSTS.";

/** Checks the field `url` of a request's body. Throws AppError bad_request if requests to it are not allowed. */
export async function requirePublicUrl(url: string, check: typeof checkPublicUrl = checkPublicUrl): Promise<void> {
  try {
    await check(url);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const hint = error.reason === "refused_address" ? operatorHint : "";
    throw new AppError("bad_request", `Body field "url": ${error.message}.${hint}`, { cause: error });
  }
}
