import type { Command } from "commander";

type Commands = typeof import("../launcher/database-commands");

/** Loads the commands' code only when one of them runs, so that `--help` is quick. */
async function run(use: (commands: Commands) => Promise<number>): Promise<void> {
  const commands = await import("../launcher/database-commands");
  process.exit(await commands.guard(() => use(commands)));
}

export function addDatabaseCommand(program: Command): void {
  const database = program.command("database").description("the embedded PostgreSQL, and changes of the schema");
  database
    .command("start")
    .description("start the embedded server and leave it running")
    .action(() => run(({ start }) => start()));
  database
    .command("stop")
    .description("stop the embedded server")
    .action(() => run(({ stop }) => stop()));
  database
    .command("status")
    .description("say whether the database answers")
    .option("--json", "as JSON")
    .action(({ json = false }: { json?: boolean }) => run(({ status }) => status(json)));
  database
    .command("url")
    .description("print the address for DATABASE_URL, password included")
    .action(() => run(({ url }) => url()));
  database
    .command("migrate")
    .description("apply the migrations that are missing")
    .action(() => run(({ migrate }) => migrate()));
  database
    .command("new-migration <name>")
    .description("write what changed in prisma/schema.prisma as a migration, such as fleet_members")
    .action((name: string) => run(({ newMigration }) => newMigration(name)));
}
