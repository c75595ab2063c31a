import type { IncomingMessage, ServerResponse } from "node:http";
import { wasCut } from "#lib/replay/playback/index";
import { type MaskOptions, visibleHeaders } from "./read-request";

/** A request as the test sees it, and what came of it. */
export type SeenRequest = {
  method: string;
  /** Host that the client asked, or that of the provider whose base URL it has. */
  host: string;
  path: string;
  /** By their names in lower case, without credentials and cookies. */
  headers: Record<string, string>;
  body: unknown;
  /** Null until the answer begins. */
  status: number | null;
  /** Whether the client left before the end of the answer. */
  aborted: boolean;
};

/** Returns a request that has no answer yet. Its headers are read when the test looks at them. */
export function seeRequest(
  { headers }: Pick<IncomingMessage, "headers">,
  known: Pick<SeenRequest, "method" | "host" | "path" | "body">,
  options: MaskOptions,
): SeenRequest {
  return {
    ...known,
    get headers() {
      return visibleHeaders(headers, options);
    },
    status: null,
    aborted: false,
  };
}

/** Lets a test see the answer to its request, which is returned. */
export function seeAnswer(seen: SeenRequest, response: ServerResponse): SeenRequest {
  const status = () => (response.headersSent ? response.statusCode : null);
  Object.defineProperty(seen, "status", { get: status, enumerable: true, configurable: true });
  response.once("close", () => {
    // The response itself is no longer needed.
    Object.defineProperty(seen, "status", { value: status(), enumerable: true });
    seen.aborted = !response.writableFinished && !wasCut(response);
  });
  return seen;
}
