import type { Command } from "commander";

/** Loads the launcher, which is large, only when it is needed, so that the help of its commands is fast. */
async function launch(mode: "up" | "dev"): Promise<never> {
  const { launch: run } = await import("../launcher/launch");
  process.exit(await run(mode));
}

export function addUpCommand(program: Command): void {
  program
    .command("up")
    .description("start everything: the database, a build if needed, and the server, until Ctrl-C")
    .addHelpText("after", "\nPORT and HOST set the address. DATABASE_URL replaces the embedded database.")
    .action(() => launch("up"));
}

export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .description("like `up`, with Next's development server, which reloads changed sources")
    .action(() => launch("dev"));
}

export function addBuildCommand(program: Command): void {
  program
    .command("build")
    .description("build the app for production; needs no database")
    .option("--if-changed", "only if the sources changed since the last build")
    .action(async ({ ifChanged = false }: { ifChanged?: boolean }) => {
      const { runBuild } = await import("../launcher/build");
      process.exit(await runBuild({ ifChanged }));
    });
}
