import type { Command } from "commander";

type BuildOptions = { ifChanged?: boolean };

export function addBuildCommand(program: Command): void {
  program
    .command("build")
    .description("build the app for production; needs no database")
    .option("--if-changed", "only where the sources changed since the last build")
    .action(async ({ ifChanged = false }: BuildOptions) => {
      const { runBuild } = await import("../launcher/run-build");
      process.exit(await runBuild({ ifChanged }));
    });
}
