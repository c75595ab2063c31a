import { Command } from "commander";
import { version } from "#lib/platform/version";

type AddCommand = (program: Command) => void;

/** Each command with its code, in the order of the help. */
const commands: Record<string, () => Promise<AddCommand>> = {
  up: async () => (await import("./commands/up")).addUpCommand,
  dev: async () => (await import("./commands/dev")).addDevCommand,
  build: async () => (await import("./commands/build")).addBuildCommand,
  record: async () => (await import("./commands/record")).addRecordCommand,
  cassettes: async () => (await import("./commands/cassettes")).addCassettesCommand,
  fleet: async () => (await import("./commands/fleet")).addFleetCommand,
  keys: async () => (await import("./commands/keys")).addKeysCommand,
  vendors: async () => (await import("./commands/vendors")).addVendorsCommand,
  intelligence: async () => (await import("./commands/intelligence")).addIntelligenceCommand,
  webhooks: async () => (await import("./commands/webhooks")).addWebhooksCommand,
  search: async () => (await import("./commands/search")).addSearchCommand,
  cron: async () => (await import("./commands/cron")).addCronCommand,
  seed: async () => (await import("./commands/seed")).addSeedCommand,
  database: async () => (await import("./commands/database")).addDatabaseCommand,
};

/** The command line; where its first word names a command, that one's code alone is loaded, so that `up` is quick. */
export async function tapedeckCommand(firstWord = ""): Promise<Command> {
  const program = new Command("tapedeck")
    .description("Replays recorded model responses over SSE, and tracks vendors' llms.txt files.")
    .version(version)
    .showHelpAfterError("(add --help for how to use it)")
    .addHelpText("after", "\nExit codes: 0 done, 1 failed, 2 wrong usage or a bad environment.");
  const asked = commands[firstWord];
  for (const load of asked ? [asked] : Object.values(commands)) (await load())(program);
  return program;
}
