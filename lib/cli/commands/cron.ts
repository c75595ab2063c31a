import type { Command } from "commander";
import { addCronRunCommand } from "./cron-run";
import { addCronStatusCommand } from "./cron-status";

export function addCronCommand(program: Command): void {
  const cron = program.command("cron").description("run a job, or see what the jobs did");
  addCronRunCommand(cron);
  addCronStatusCommand(cron);
}
