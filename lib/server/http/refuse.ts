import { randomUUID } from "node:crypto";
import type { ErrorShape } from "#lib/contract/endpoint";
import type { AppError } from "#lib/platform/errors";
import { log } from "#lib/platform/log";
import { commonHeaders } from "./common-headers";
import { errorReply } from "./error-reply";
import type { Reply } from "./reply";

/** The answer to a request that no endpoint takes, with its own request id. */
export function refuse(error: AppError, shape: ErrorShape = "tapedeck"): Reply {
  const requestId = randomUUID();
  const reply = errorReply(error, shape, requestId, log());
  return { ...reply, headers: { ...reply.headers, ...commonHeaders({ auth: "none" }, requestId) } };
}
