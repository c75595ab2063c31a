import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteArgument } from "#lib/platform/command-line";

/**
 * Writes a program `node` into a folder for the front of PATH, and returns that folder. It starts the next one on PATH with the
 * variables of the run, where a script or a process of another language starts Node.js without them or with its own NODE_OPTIONS.
 * The next one may be that of a version manager, which looks for another one on PATH itself and finds this program again, in the
 * same process: those that it has started are left out then.
 */
export async function writeNodeCommand(
  folder: string,
  { register, variables }: { register: string; variables: Readonly<Record<string, string>> },
): Promise<string> {
  const bin = join(folder, "bin");
  const option = quoteArgument(` --require "${register}"`);
  const text = `#!/bin/sh
if [ -n "\${TAPEDECK_PROXY-unset}" ]; then
${Object.entries(variables)
  .map(([name, value]) => `[ -n "\${${name}+set}" ] || export ${name}=${quoteArgument(value)}`)
  .join("\n")}
case "\${NODE_OPTIONS-}" in *${quoteArgument(register)}*) ;; *) export NODE_OPTIONS="\${NODE_OPTIONS-}"${option} ;; esac
fi
case "\${TAPEDECK_NODE-}" in "$$:"*) tried=$TAPEDECK_NODE: ;; *) tried=$$:${quoteArgument(bin)}: ;; esac
IFS=:
for folder in $PATH; do
case "$tried" in *":$folder:"*) continue ;; esac
if [ -f "$folder/node" ] && [ -x "$folder/node" ]; then
export TAPEDECK_NODE="$tried$folder"
exec "$folder/node" "$@"
fi
done
echo "node: not found" >&2
exit 127
`;
  await mkdir(bin);
  await writeFile(join(bin, "node"), text);
  await chmod(join(bin, "node"), 0o755);
  return bin;
}
