import type { Command } from "commander";
import { addAuthorCommand } from "./cassettes-author";
import { addImportCommand } from "./cassettes-import";
import { addListCommand } from "./cassettes-list";
import { addPlayCommand } from "./cassettes-play";
import { addPushCommand } from "./cassettes-push";
import { addSchemaCommand } from "./cassettes-schema";
import { addShowCommand } from "./cassettes-show";
import { addVerifyCommand } from "./cassettes-verify";

export function addCassettesCommand(program: Command): void {
  const cassettes = program.command("cassettes").description("list, check, show, play and bring in cassettes");
  addListCommand(cassettes);
  addVerifyCommand(cassettes);
  addShowCommand(cassettes);
  addPlayCommand(cassettes);
  addImportCommand(cassettes);
  addAuthorCommand(cassettes);
  addPushCommand(cassettes);
  addSchemaCommand(cassettes);
}
