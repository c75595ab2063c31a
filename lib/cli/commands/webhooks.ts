import type { Command } from "commander";
import { requireEncryptionKeys } from "#lib/platform/encryption";
import { log } from "#lib/platform/log";
import { reencryptSecrets } from "#lib/tracking/webhooks/index";
import { explainingFailures } from "../app-failure";
import { CommandFailure } from "../failure";
import { withDatabase } from "../launcher/with-database";
import { stopSignal } from "../stop-signal";

const help = `
To change the key: put the new one first in ENCRYPTION_KEYS and keep the old one behind it, on every instance; run this;
then take the old one away.`;

export function addWebhooksCommand(program: Command): void {
  const webhooks = program.command("webhooks").description("look after webhooks");
  webhooks
    .command("reencrypt")
    .description("encrypt every secret with the first of ENCRYPTION_KEYS")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async ({ json }: { json?: boolean }) => {
      const summary = await withDatabase((database) =>
        explainingFailures(async () => {
          const keys = requireEncryptionKeys();
          return reencryptSecrets({ database, log: log(), keys }, { signal: stopSignal() });
        }),
      );
      if (json) process.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
      else process.stdout.write(`${summary.reencrypted} encrypted anew\n`);
      const { unreadable } = summary;
      if (unreadable > 0)
        throw new CommandFailure(`${unreadable} cannot be read with any of the keys; the log names them.`);
    });
}
