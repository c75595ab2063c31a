import { revealKeyEndpoint } from "#lib/accounts/purchases/index";
import { handle, routes } from "#lib/server/http/route";
import { answerReveal } from "./answer-reveal";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(revealKeyEndpoint, answerReveal));
