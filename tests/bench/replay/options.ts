import { parseArgs } from "node:util";
import { defaultServerNames, servers } from "./servers";

export type BenchOptions = {
  serverNames: string[];
  runCount: number;
  quick: boolean;
  /** Whether the report and chart are written to the documentation instead of next to the JSON. */
  publish: boolean;
};

const names = servers.map(({ name }) => name);

export const helpText = `Usage: npm run bench -- replay [options]

Measures timing, CPU time and memory of replay, compared with other servers on this machine.
Takes about twelve minutes, during which the machine should do nothing else.

Options:
  --servers <a,b>  which servers: ${names.join(", ")}
                   (default: ${defaultServerNames.join(",")})
  --runs <n>       runs of each configuration from 200 clients on (default: 3; 1 with --quick)
  --quick          a small matrix in under a minute
  --publish        write the documentation even if the run is quick or lacks a server
  --help           this text

Writes .tapedeck/bench/replay.json. A full run also writes content/docs/benchmarks.md and
public/bench/replay.svg; any other run writes those two next to the JSON instead.`;

/** The command line is not valid. The message is shown to the user. */
export class UsageError extends Error {}

function parse(commandLine: string[]) {
  try {
    return parseArgs({
      args: commandLine,
      options: {
        servers: { type: "string", default: defaultServerNames.join(",") },
        runs: { type: "string" },
        quick: { type: "boolean", default: false },
        publish: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Parses the command line. Returns undefined for `--help`. Throws UsageError. */
export function parseOptions(commandLine: string[]): BenchOptions | undefined {
  const values = parse(commandLine);
  if (values.help) return undefined;
  const asked = values.servers.split(",").filter(Boolean);
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0 || asked.length === 0) {
    throw new UsageError(`--servers: ${unknown.join(", ") || "none"}; there are ${names.join(", ")}`);
  }
  const runCount = Number(values.runs ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(runCount) || runCount < 1 || runCount > 20) throw new UsageError("--runs: 1 to 20");
  const whole = !values.quick && defaultServerNames.every((name) => asked.includes(name));
  return {
    serverNames: names.filter((name) => asked.includes(name)),
    runCount,
    quick: values.quick,
    publish: values.publish || whole,
  };
}
