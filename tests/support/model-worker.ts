import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import { parseConfig } from "#lib/platform/config";
import { createDatabase } from "#lib/platform/database/index";
import { createModelAnalyser } from "#lib/tracking/intelligence/model/create-model-analyser";
import { analyseByRules } from "#lib/tracking/intelligence/rules/analyse-by-rules";
import { readChange } from "#lib/tracking/intelligence/store";

/** Process that asks a model about one change. */
const [databaseUrl = "", environment = "{}", subject = "{}"] = process.argv.slice(2);
const database = createDatabase(databaseUrl);
const settings = parseConfig(JSON.parse(environment));
const log = pino({ level: "silent" });
const analyser = createModelAnalyser({ database, clock: systemClock, log, settings });
const request = { subject: JSON.parse(subject), signal: new AbortController().signal };
const change = await readChange(database, request.subject);
await analyser?.({ ...request, change, rules: analyseByRules(change) });
process.exit();
