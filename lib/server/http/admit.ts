import { anonymousCaller, type Caller, verifyKey } from "#lib/accounts/keys/index";
import { reachesTier } from "#lib/accounts/plans/index";
import type { Endpoint } from "#lib/contract/endpoint";
import { AppError } from "#lib/platform/errors";
import type { RequestContext } from "./context";
import { countCall, limitError, limitHeaders } from "./limit";

/** What the rooms before the verb made of a request: who asks, what the answer tells of the limit, and a refusal. */
export type Admission = { caller: Caller; headers: Record<string, string>; refusal: AppError | undefined };

type Identity = { caller: Caller; refusal?: AppError };

async function identify({ auth }: Endpoint, context: RequestContext, authorization: string | null): Promise<Identity> {
  if (authorization === null) {
    if (auth !== "required") return { caller: anonymousCaller };
    const message = "This needs an API key. Send it in the header: Authorization: Bearer <your API key>.";
    return { caller: anonymousCaller, refusal: new AppError("unauthorized", message) };
  }
  try {
    return { caller: await verifyKey(context, authorization) };
  } catch (error) {
    if (error instanceof AppError && error.code === "unauthorized") return { caller: anonymousCaller, refusal: error };
    throw error;
  }
}

function refuseTier({ minimumTier }: Endpoint, { tier }: Caller): AppError | undefined {
  if (!minimumTier || reachesTier(tier, minimumTier.tier)) return undefined;
  const message = `This needs a key of the ${minimumTier.tier} tier or a higher one. GET /api/v1/pricing shows the tiers.`;
  return new AppError(minimumTier.code, message);
}

/**
 * Key, limit and tier of a request, in this order. A request whose key does not work counts on the client's address,
 * so that guessing keys is limited too.
 */
export async function admit(
  endpoint: Endpoint,
  context: RequestContext,
  authorization: string | null,
): Promise<Admission> {
  const { caller, refusal } = await identify(endpoint, context, authorization);
  const { clientAddress, clock, log } = context;
  const answer = endpoint.limited ? await countCall({ caller, clientAddress, clock, log }) : undefined;
  const headers = answer ? limitHeaders(answer) : {};
  if (answer && !answer.allowed) return { caller, headers, refusal: limitError(answer, clock.now()) };
  return { caller, headers, refusal: refusal ?? refuseTier(endpoint, caller) };
}
