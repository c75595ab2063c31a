import { existsSync } from "node:fs";
import path from "node:path";
import { childEnvironment } from "./config";

const ofClone = "npm run -s tapedeck --";

let named: () => string = () => ofClone;

/** Sets how this process calls the command, where that is not as in a clone. The environment's `TAPEDECK_COMMAND` has precedence. */
export function nameCommand(name: () => string): void {
  named = name;
}

/** Returns how the user calls the command here, such as `npx tapedeck`. */
export function commandName(): string {
  return childEnvironment().TAPEDECK_COMMAND || named();
}

/** Returns how the user calls a command here, with its arguments, such as `npx tapedeck prune --force`. */
export function commandLine(command: string): string {
  const name = commandName();
  return name === ofClone && ["up", "dev"].includes(command) ? `npm run ${command}` : `${name} ${command}`;
}

/** Returns an argument as a shell takes it, in quotation marks if it has spaces or other special characters. */
export function quoteArgument(argument: string): string {
  if (/^[\w./:@,-]+$/.test(argument)) return argument;
  return process.platform === "win32"
    ? `"${argument.replaceAll('"', '\\"')}"`
    : `'${argument.replaceAll("'", "'\\''")}'`;
}

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Most characters of another command that are repeated. */
const maxRepeatedLength = 300;

/**
 * Returns how the user calls a command here with those options that are set, for another command after `--`: `<command>` for
 * none, and for a long one or one of several lines.
 */
export function commandFor(command: string, options: Options, other: readonly string[] = []): string {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value ? [`--${name}`, ...(value === true ? [] : [quoteArgument(value)])] : [],
  );
  const text = other.map(quoteArgument).join(" ");
  const isRepeated = text !== "" && text.length <= maxRepeatedLength && !/[\r\n]/.test(text);
  return commandLine([command, ...given, "--", isRepeated ? text : "<command>"].join(" "));
}

/** Whether an npm package is installed for this folder: in it, or in one above. */
export function isInstalled(packageName: string): boolean {
  for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, "node_modules", packageName, "package.json"))) return true;
    if (folder === path.dirname(folder)) return false;
  }
}

/** Returns how npx calls a package's program: by its name if the package is installed for this folder, else by the package's. */
export function npxCommand(packageName: string, program: string): string {
  return `npx ${isInstalled(packageName) ? program : packageName}`;
}
