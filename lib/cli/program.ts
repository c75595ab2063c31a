import type { Command } from "commander";
import { version } from "#lib/platform/version";
import { styleHelp, TapedeckCommand } from "./help-style";
import { isClone } from "./installation";
import type { CommandIo } from "./io";

type AddCommand = (program: Command, io: CommandIo) => void;

/** What the list of commands says of each, and its loader. */
type Loaders = Record<string, [summary: string, load: () => Promise<AddCommand>]>;

/** The commands, in the groups and the order of the help. */
const groups: Record<string, Loaders> = {
  "Test suites:": {
    init: [
      "add a script, the configuration and an example to a project",
      async () => (await import("./commands/init")).addInitCommand,
    ],
    run: [
      "run a command with its model calls recorded, then replayed",
      async () => (await import("./commands/run")).addRunCommand,
    ],
    show: [
      "list tapes, the exchanges of one, or one recording",
      async () => (await import("./commands/tapes-show")).addTapeShowCommand,
    ],
    play: [
      "play a recording in the terminal with its timing",
      async () => (await import("./commands/tapes-show")).addTapePlayCommand,
    ],
    edit: ["edit the answer of a recording", async () => (await import("./commands/edit")).addEditCommand],
    move: [
      "keep the tape of a test that was renamed",
      async () => (await import("./commands/tapes-move")).addTapeMoveCommand,
    ],
    redact: [
      "remove secrets from tapes that have them",
      async () => (await import("./commands/tapes-redact")).addTapeRedactCommand,
    ],
    why: ["explain the misses of the last run", async () => (await import("./commands/tapes")).addWhyCommand],
    doctor: [
      "check this installation, or the tapes of a command",
      async () => (await import("./commands/doctor")).addDoctorCommand,
    ],
    prune: [
      "list and remove recordings that nothing used",
      async () => (await import("./commands/tapes")).addPruneCommand,
    ],
    "merge-runs": [
      "join the reports of shards",
      async () => (await import("./commands/merge-runs")).addMergeRunsCommand,
    ],
    audit: [
      "list the models that tapes and code use, and when they end",
      async () => (await import("./commands/audit")).addAuditCommand,
    ],
    drift: [
      "send requests of tapes again, and compare the shape of answers",
      async () => (await import("./commands/drift")).addDriftCommand,
    ],
    compare: [
      "send requests of tapes to another model, and compare answers",
      async () => (await import("./commands/compare")).addCompareCommand,
    ],
    import: [
      "make tapes from VCR's or HAR files",
      async () => (await import("./commands/tapes-import")).addTapeImportCommand,
    ],
    proxy: ["run the recording proxy alone", async () => (await import("./commands/run")).addProxyCommand],
  },
  "Cassettes and texts:": {
    record: ["record one answer of a model provider", async () => (await import("./commands/record")).addRecordCommand],
    cassettes: [
      "list, verify, show, play, import, author",
      async () => (await import("./commands/cassettes")).addCassettesCommand,
    ],
    report: ["tell what the change of a text means", async () => (await import("./commands/report")).addReportCommand],
    score: ["tell how safe a text is for models", async () => (await import("./commands/score")).addScoreCommand],
  },
  "Server:": {
    up: ["start everything, until Ctrl-C", async () => (await import("./commands/launch")).addUpCommand],
    dev: ["the same, reloading changed sources", async () => (await import("./commands/launch")).addDevCommand],
    build: ["build for production", async () => (await import("./commands/launch")).addBuildCommand],
    keys: ["create, list, revoke API keys", async () => (await import("./commands/keys")).addKeysCommand],
    billing: ["compare accounts with Stripe", async () => (await import("./commands/billing")).addBillingCommand],
    accounts: ["list, export, delete accounts", async () => (await import("./commands/accounts")).addAccountsCommand],
    vendors: ["manage the tracked vendors", async () => (await import("./commands/vendors")).addVendorsCommand],
    intelligence: [
      "write and show reports of changes",
      async () => (await import("./commands/intelligence")).addIntelligenceCommand,
    ],
    webhooks: ["manage webhooks", async () => (await import("./commands/webhooks")).addWebhooksCommand],
    search: ["manage the hosted search index", async () => (await import("./commands/search")).addSearchCommand],
    fleet: ["check the sites of the fleet", async () => (await import("./commands/fleet")).addFleetCommand],
    worker: ["run due jobs and the queues", async () => (await import("./commands/worker")).addWorkerCommand],
    queue: ["see, pause and resume the queues", async () => (await import("./commands/queue")).addQueueCommand],
    cron: ["run jobs, and see their latest runs", async () => (await import("./commands/cron")).addCronCommand],
    models: ["make the bundled catalogue of models", async () => (await import("./commands/models")).addModelsCommand],
    seed: ["add the sites and the vendor catalogue", async () => (await import("./commands/seed")).addSeedCommand],
    database: [
      "manage PostgreSQL and the migrations",
      async () => (await import("./commands/database")).addDatabaseCommand,
    ],
  },
};

/** Commands that need the sources. */
const ofClone = new Set(["dev", "build", "models"]);

/**
 * Returns the command line. With `word`, only that command's code is loaded, and the others have just a name and a summary;
 * without it, all are loaded.
 */
export async function tapedeckCommand(io: CommandIo, word?: string): Promise<Command> {
  const program = styleHelp(new TapedeckCommand(isClone ? "tapedeck" : "tapedeck-server"))
    .description("Records and replays the model calls of tests, and tracks what vendors change.")
    .version(version)
    .showHelpAfterError("(add --help for usage)")
    .addHelpText(
      "after",
      "\nWith --help, each command explains itself; --version prints the version.\nExit codes: 0 success, 1 failure, 2 wrong usage or invalid environment.",
    );
  const exists = (name: string) => isClone || !ofClone.has(name);
  for (const [title, loaders] of Object.entries(groups)) {
    program.commandsGroup(title);
    for (const [name, [summary, load]] of Object.entries(loaders).filter(([name]) => exists(name))) {
      if (word === undefined || word === name) (await load())(program, io);
      else program.command(name);
      program.commands.find((command) => command.name() === name)?.summary(summary);
    }
  }
  return program;
}
