import type { Command } from "commander";
import { addEvaluateCommand } from "./intelligence-evaluate";
import { addAnalysisRunCommand } from "./intelligence-run";
import { addShowReportsCommand } from "./intelligence-show";

export function addIntelligenceCommand(program: Command): void {
  const intelligence = program.command("intelligence").description("reports of what changes mean");
  addAnalysisRunCommand(intelligence);
  addShowReportsCommand(intelligence);
  addEvaluateCommand(intelligence);
}
