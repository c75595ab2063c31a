import { parse } from "yaml";
import { checkScript } from "./check-script";
import { ScriptError } from "./script-error";
import { type Script, scriptSchema } from "./script-schema";

function parseYaml(text: string, id: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw new ScriptError(id, "", `is not valid YAML: ${(cause as Error).message}`, { cause });
  }
}

/** Reads a script and checks that its parts fit each other. Throws ScriptError. */
export function parseScript(text: string, id: string): Script {
  const result = scriptSchema.safeParse(parseYaml(text, id));
  if (!result.success) {
    const [first] = result.error.issues;
    throw new ScriptError(id, first?.path.join(".") ?? "", first?.message ?? "is not a script");
  }
  checkScript(result.data, id);
  return result.data;
}
