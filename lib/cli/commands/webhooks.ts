import type { Command } from "commander";
import { requireEncryptionKeys } from "#lib/platform/encryption";
import { log } from "#lib/platform/log";
import { reencryptContacts } from "#lib/tracking/digests/index";
import { reencryptSecrets } from "#lib/tracking/webhooks/index";
import { CommandFailure } from "../failure";
import { type CommandIo, writeJson } from "../io";
import { withDatabase } from "../launcher/open-database";
import { withStopSignal } from "../stop-signal";

const help = `
To change the key: on every instance, put the new key first in ENCRYPTION_KEYS and keep the old one after it, and restart it.
Run this command. Then remove the old key, and restart again.`;

export function addWebhooksCommand(program: Command, io: CommandIo): void {
  const webhooks = program.command("webhooks").description("manage webhooks");
  webhooks
    .command("reencrypt")
    .description("encrypt every secret, and the addresses of e-mail digests, with the first of ENCRYPTION_KEYS")
    .option("--json", "print JSON")
    .addHelpText("after", help)
    .action(async ({ json }: { json?: boolean }) => {
      const summary = await withStopSignal((signal) =>
        withDatabase(async (database) => {
          const context = { database, log: log(), keys: requireEncryptionKeys() };
          const secrets = await reencryptSecrets(context, { signal });
          const contacts = await reencryptContacts(context, { signal });
          return {
            reencrypted: secrets.reencrypted + contacts.reencrypted,
            unreadable: secrets.unreadable + contacts.unreadable,
          };
        }),
      );
      if (json) writeJson(io, summary);
      else io.stdout.write(`${summary.reencrypted} encrypted again\n`);
      if (summary.reencrypted > 0)
        io.stderr.write(
          "Servers and workers that were started without the first of these ENCRYPTION_KEYS cannot read them: restart those.\n",
        );
      const { unreadable } = summary;
      if (unreadable > 0) {
        throw new CommandFailure(`${unreadable} cannot be decrypted with any of the keys; the log names them.`);
      }
    });
}
