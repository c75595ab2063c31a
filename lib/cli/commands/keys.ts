import type { Command } from "commander";
import { addCreateKeyCommand } from "./keys-create";
import { addListKeysCommand } from "./keys-list";
import { addRevokeKeyCommand } from "./keys-revoke";

export function addKeysCommand(program: Command): void {
  const keys = program.command("keys").description("issue, list and revoke API keys");
  addCreateKeyCommand(keys);
  addListKeysCommand(keys);
  addRevokeKeyCommand(keys);
}
