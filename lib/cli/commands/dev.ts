import type { Command } from "commander";

export function addDevCommand(program: Command): void {
  program
    .command("dev")
    .description("the same as `up` with Next's development server, which follows changes of the sources")
    .action(async () => {
      const { launch } = await import("../launcher/launch");
      process.exit(await launch("dev"));
    });
}
