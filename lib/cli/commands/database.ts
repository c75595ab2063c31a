import type { Command } from "commander";

type Commands = typeof import("../launcher/database-commands");

/** Loads the code only when a command runs, so that `--help` is fast. */
async function run(use: (commands: Commands) => Promise<number>): Promise<void> {
  process.exit(await use(await import("../launcher/database-commands")));
}

export function addDatabaseCommand(program: Command): void {
  const database = program.command("database").description("manage the embedded PostgreSQL and the migrations");
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
    .description("show whether the database answers")
    .option("--json", "print JSON")
    .action(({ json = false }: { json?: boolean }) => run(({ status }) => status(json)));
  database
    .command("url")
    .description("print the URL for DATABASE_URL, including the password")
    .action(() => run(({ url }) => url()));
  database
    .command("migrate")
    .description("apply pending migrations")
    .action(() => run(({ migrate }) => migrate()));
  database
    .command("new-migration <name>")
    .description("write the changes of prisma/schema.prisma as a migration, such as fleet_members")
    .action((name: string) => run(({ newMigration }) => newMigration(name)));
}
