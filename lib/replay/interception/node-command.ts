import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteArgument } from "#lib/platform/command-line";

/**
 * Writes a program `node` into a folder for the front of PATH, and returns that folder. It starts the next one on PATH with the
 * variables of the run, where a script or a process of another language starts Node.js without them or with its own NODE_OPTIONS.
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
IFS=:
for folder in $PATH; do
[ "$folder" = ${quoteArgument(bin)} ] || [ ! -x "$folder/node" ] || exec "$folder/node" "$@"
done
echo "node: not found" >&2
exit 127
`;
  await mkdir(bin);
  await writeFile(join(bin, "node"), text);
  await chmod(join(bin, "node"), 0o755);
  return bin;
}
