import type { Command } from "commander";

export function addUpCommand(program: Command): void {
  program
    .command("up")
    .description("start everything: database, build where needed, and the server, until Ctrl-C")
    .addHelpText("after", "\nPORT and HOST choose the address; DATABASE_URL takes the place of the embedded database.")
    .action(async () => {
      const { launch } = await import("../launcher/launch");
      process.exit(await launch("up"));
    });
}
