import { Command } from "commander";
import { version } from "#lib/platform/version";
import type { CommandIo } from "./io";

type AddCommand = (program: Command, io: CommandIo) => void;

/** The loaders of the commands, in the order of the help. */
const commands: Record<string, () => Promise<AddCommand>> = {
  up: async () => (await import("./commands/launch")).addUpCommand,
  dev: async () => (await import("./commands/launch")).addDevCommand,
  build: async () => (await import("./commands/launch")).addBuildCommand,
  record: async () => (await import("./commands/record")).addRecordCommand,
  run: async () => (await import("./commands/run")).addRunCommand,
  proxy: async () => (await import("./commands/run")).addProxyCommand,
  why: async () => (await import("./commands/tapes")).addWhyCommand,
  doctor: async () => (await import("./commands/doctor")).addDoctorCommand,
  show: async () => (await import("./commands/tapes-show")).addTapeShowCommand,
  play: async () => (await import("./commands/tapes-show")).addTapePlayCommand,
  prune: async () => (await import("./commands/tapes")).addPruneCommand,
  import: async () => (await import("./commands/tapes-import")).addTapeImportCommand,
  cassettes: async () => (await import("./commands/cassettes")).addCassettesCommand,
  score: async () => (await import("./commands/score")).addScoreCommand,
  report: async () => (await import("./commands/report")).addReportCommand,
  fleet: async () => (await import("./commands/fleet")).addFleetCommand,
  keys: async () => (await import("./commands/keys")).addKeysCommand,
  vendors: async () => (await import("./commands/vendors")).addVendorsCommand,
  intelligence: async () => (await import("./commands/intelligence")).addIntelligenceCommand,
  webhooks: async () => (await import("./commands/webhooks")).addWebhooksCommand,
  search: async () => (await import("./commands/search")).addSearchCommand,
  worker: async () => (await import("./commands/worker")).addWorkerCommand,
  queue: async () => (await import("./commands/queue")).addQueueCommand,
  cron: async () => (await import("./commands/cron")).addCronCommand,
  seed: async () => (await import("./commands/seed")).addSeedCommand,
  database: async () => (await import("./commands/database")).addDatabaseCommand,
};

/** Returns the command line. If `firstWord` names a command, loads only that command's code. */
export async function tapedeckCommand(io: CommandIo, firstWord = ""): Promise<Command> {
  const program = new Command("tapedeck")
    .description("Replays LLM responses over SSE, and tracks vendors' llms.txt files.")
    .version(version)
    .showHelpAfterError("(add --help for usage)")
    .addHelpText("after", "\nExit codes: 0 success, 1 failure, 2 wrong usage or invalid environment.");
  const load = commands[firstWord];
  for (const loadCommand of load ? [load] : Object.values(commands)) (await loadCommand())(program, io);
  return program;
}
