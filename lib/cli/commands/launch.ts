import type { Command } from "commander";
import { runBuild } from "../launcher/build";
import { launch } from "../launcher/launch";

export function addUpCommand(program: Command): void {
  program
    .command("up")
    .description("start everything: the database, a build if needed, and the server, until Ctrl-C")
    .addHelpText("after", "\nPORT and HOST set the address. DATABASE_URL replaces the embedded database.")
    .action(async () => process.exit(await launch("up")));
}

export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .description("like `up`, with Next's development server, which reloads changed sources")
    .action(async () => process.exit(await launch("dev")));
}

export function addBuildCommand(program: Command): void {
  program
    .command("build")
    .description("build the app for production; needs no database")
    .option("--if-changed", "only if the sources changed since the last build")
    .action(async ({ ifChanged = false }: { ifChanged?: boolean }) => process.exit(await runBuild({ ifChanged })));
}
