import type { Command } from "commander";
import { addAddVendorCommand } from "./vendors-add";
import { addFetchVendorsCommand } from "./vendors-fetch";
import { addVendorFileCommands } from "./vendors-files";
import { addVendorHistoryCommand } from "./vendors-history";
import { addListVendorsCommand } from "./vendors-list";
import { addPauseCommands } from "./vendors-pause";

export function addVendorsCommand(program: Command): void {
  const vendors = program.command("vendors").description("look after the vendors that are tracked");
  addListVendorsCommand(vendors);
  addAddVendorCommand(vendors);
  addPauseCommands(vendors);
  addFetchVendorsCommand(vendors);
  addVendorHistoryCommand(vendors);
  addVendorFileCommands(vendors);
}
