import { handle, routes } from "#lib/http/route";
import { revealKeyEndpoint } from "#lib/purchases/index";
import { answerReveal } from "./answer-reveal";

export const dynamic = "force-dynamic";
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routes(handle(revealKeyEndpoint, answerReveal));
