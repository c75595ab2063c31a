import { type Command, InvalidArgumentError } from "commander";
import { childEnvironment } from "#lib/platform/config";
import { secondMs } from "#lib/platform/time";
import { CommandFailure } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { proposeFields } from "./tapes";

const help = `
Without a command, it checks this installation, and changes nothing: the configuration, the database with its migrations,
queues and jobs, the stores, the encryption keys and the clock. Each check is a line "ok|warn|fail  name  what was seen → what to do".
The exit code is 1 if a check fails. No secret is printed.

With a command, it checks a test suite: it runs the command on its tapes and proposes the fields that differ from run to run.

Examples:
  tapedeck doctor
  tapedeck doctor --json
  tapedeck doctor -- npm test`;

const maxTimeoutSeconds = 60;

function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (seconds >= 1 && seconds <= maxTimeoutSeconds) return seconds;
  throw new InvalidArgumentError(`It must be a number of seconds from 1 to ${maxTimeoutSeconds}.`);
}

type InstallationOptions = { json?: boolean; timeout: number };

async function checkThisInstallation(io: CommandIo, { json = false, timeout }: InstallationOptions): Promise<void> {
  const [{ checkInstallation }, { lineOf }] = await Promise.all([
    import("../doctor/check-installation"),
    import("../doctor/check"),
  ]);
  const checks = await checkInstallation(childEnvironment(), timeout * secondMs);
  if (json) writeJson(io, { checks });
  else for (const check of checks) io.stdout.write(lineOf(check));
  const failedCount = checks.filter(({ status }) => status === "fail").length;
  if (failedCount > 0) throw new CommandFailure(`${failedCount} ${failedCount === 1 ? "check" : "checks"} failed.`);
}

/** The command of an installation. The package for test suites has only the part that takes a command. */
export function addDoctorCommand(program: Command, io: CommandIo): void {
  program
    .command("doctor")
    .description("check this installation; with a command, check its tapes and propose the fields that differ")
    .argument("[command...]", "a command, after --, whose tapes are checked instead of the installation")
    .option("--tapes <dir>", "with a command: folder of the tapes")
    .option("--json", "without a command: print JSON")
    .option("--timeout <seconds>", "without a command: time for each answer of a server, 1 to 60", parseTimeout, 3)
    .addHelpText("after", help)
    .action(async (command: string[], { tapes, ...options }: { tapes?: string } & InstallationOptions) => {
      if (command.length > 0) await proposeFields(command, tapes, io);
      else await checkThisInstallation(io, options);
    });
}
