import { type Cassette, cassetteIdSchema } from "../schemas";
import { sealCassette } from "../seal-cassette";
import { authoredModel, composeStream } from "./compose-stream";
import { joinEvents, splitChunks } from "./cut-chunks";
import { parseScript } from "./parse-script";
import { ScriptError } from "./script-error";
import { createRandom } from "./seeded-random";

/**
 * Builds an authored cassette from a YAML script. The same script and id give the same cassette forever:
 * the seed and the date stand in the script. Throws ScriptError, whose message names the field.
 */
export function authorCassette(scriptText: string, id: string): Cassette {
  const checked = cassetteIdSchema.safeParse(id);
  if (!checked.success) throw new ScriptError(id, "id", checked.error.issues[0]?.message ?? "is not an id");
  const script = parseScript(scriptText, id);
  const random = createRandom(script.seed);
  const whole = joinEvents(composeStream(script, id, random));
  const chunks = script.split_bytes ? splitChunks(whole, random) : whole;
  return sealCassette({
    id,
    title: script.title,
    subtitle: script.subtitle,
    provenance: {
      kind: "authored",
      recorded_at: script.authored_at,
      // The format's first recorder, not the running version: a release must not change old cassettes.
      recorder: "tapedeck/1.0.0",
      timing: "synthetic",
      clock: "none",
      boundary: script.split_bytes ? "http-read" : "sse-event",
      source: {
        author: "Tapedeck project",
        script: `${id}.yaml`,
        note: "Written for this project; not the output of a model.",
      },
    },
    request: { body: { model: authoredModel, ...script.request }, redactions: [] },
    response: {
      status: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
    },
    chunks,
    end: script.ending.error ? "error" : "complete",
  });
}
