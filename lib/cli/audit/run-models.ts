import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { bundledModels } from "#lib/models/index";
import { readTapeCalls, type SessionReport } from "#lib/replay/recording-proxy/index";
import { countText } from "./audit-text";
import { findModels } from "./findings";

/** Days before its end from which a run mentions a model. */
const mentionedDays = 60;

/** Returns a line on the models of a run's tapes that have ended or will soon; none if there are none. */
export function describeEndingModels(reports: readonly SessionReport[], now: Date): string[] {
  const folders = [...new Set(reports.map(({ folder }) => resolve(folder)))].filter((folder) => existsSync(folder));
  const calls = folders.flatMap((folder) => {
    try {
      return readTapeCalls(folder);
    } catch {
      // The run's own report says what is wrong with a tape.
      return [];
    }
  });
  const { models } = findModels({ calls, code: [] }, bundledModels(now), now);
  const ended = models.filter(({ status }) => status === "retired");
  const ending = models.filter(({ days_left: days }) => days !== null && days > 0 && days <= mentionedDays);
  const parts = [
    ...(ended.length > 0 ? [`${countText(ended.length, "model")} ended`] : []),
    ...(ending.length > 0 ? [`${countText(ending.length, "model")} ending by ${ending.at(-1)?.retired}`] : []),
  ];
  return parts.length > 0 ? [`  on these tapes: ${parts.join(", ")}. See tapedeck audit`] : [];
}
