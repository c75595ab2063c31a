import type { ErrorShape } from "#lib/contract/endpoint";
import { dropInEndpoints } from "#lib/replay/playback/index";

/** The paths of the providers' protocols. A path of Gemini ends with what the model is to do. */
const dropInPaths = dropInEndpoints
  .map(({ method, path }) => `${method} ${path.replace("{action}", "{model}:generateContent")}`)
  .join(", ");

/** Returns what to say to a request for a path that does not exist, in the format of a provider or of Tapedeck. */
export function unknownPathMessage(shape: ErrorShape): string {
  return shape === "tapedeck"
    ? "Not found. GET /openapi.json lists all endpoints."
    : `There is no such path here. Supported are ${dropInPaths}.`;
}
