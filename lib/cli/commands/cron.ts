import type { Command } from "commander";
import { addCronListCommand } from "./cron-list";
import { addCronRunCommand } from "./cron-run";
import { addCronStatusCommand } from "./cron-status";

export function addCronCommand(program: Command): void {
  const cron = program.command("cron").description("run a job, or see what the jobs did");
  addCronListCommand(cron);
  addCronRunCommand(cron);
  addCronStatusCommand(cron);
}
