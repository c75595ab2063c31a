import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import { createDatabase } from "#lib/platform/database/index";
import { systemIds } from "#lib/platform/ids";
import { sendDigests } from "#lib/tracking/digests/sending/send-digests";
import { testKeys } from "./webhook-receivers";

/** Process that sends the mails that are due at a time, once, and reports the result. It is killed by a test. */
const [databaseUrl = "", smtpUrl = "", offsetMs = "0"] = process.argv.slice(2);
const database = createDatabase(databaseUrl);
const clock = { ...systemClock, now: () => new Date(Date.now() + Number(offsetMs)) };
const settings = {
  smtpUrl,
  from: { name: "Tapedeck", address: "alerts@tapedeck.example" },
  origin: "https://tapedeck.example",
};
const context = { database, clock, ids: systemIds, log: pino({ level: "silent" }), settings, keys: testKeys };
const signal = new AbortController().signal;
process.send?.(await sendDigests(context, { deadlineMs: clock.monotonicMs() + 120_000, signal }));
await database.$disconnect();
process.disconnect?.();
